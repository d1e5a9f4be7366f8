import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whom a server runs as when that is not ourselves. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * A group that nothing else on the machine has. Other programs run as `nobody` too; by this group alone our servers
 * reach their home, so those programs do not. The kernel asks for no entry in /etc/group, and the number is below
 * 65536 because containers seldom map more.
 */
const SERVERS_ONLY_GROUP = 64_433;

/**
 * PostgreSQL refuses to run as root, and Redis has no need to: as root both run as `nobody`, with a group of their own.
 * For everyone else the answer is undefined: the server runs as the user who started us.
 *
 * @throws {Error} when we are root on a system without the user `nobody`.
 */
export function serverAccount(): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;

  const nobody = readFileSync('/etc/passwd', 'utf8').split('\n').find((line) => line.startsWith('nobody:'));
  const uid = Number(nobody?.split(':')[2]);
  if (!(uid > 0)) {
    throw new Error('PostgreSQL does not run as root, and this system has no user "nobody". Start as an ordinary user.');
  }
  return { uid, gid: SERVERS_ONLY_GROUP };
}

/**
 * Whether the account may enter (or execute) and read `path`. The kernel is asked, as that account, because modes do
 * not tell everything: access lists, mounts and security modules have their say.
 *
 * @throws {Error} when we may not become that account at all.
 */
export function canReach(account: ServerAccount, path: string): boolean {
  const asked = spawnSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
  });
  if (asked.error !== undefined) {
    throw new Error(
      'We are root but may not start a process as "nobody", which PostgreSQL and Redis need. ' +
        'Start as an ordinary user, or set DATABASE_URL and REDIS_URL.',
      { cause: asked.error },
    );
  }
  return asked.status === 0;
}
