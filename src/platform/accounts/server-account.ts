import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whom a server runs as when that is not ourselves. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
  /** For messages. */
  readonly name: string;
}

/**
 * A group that nothing else on the machine has. Other programs run as `nobody` too; by this group alone our servers
 * reach their home, so those programs do not. The kernel asks for no entry in /etc/group, and the number is below
 * 65536 because containers seldom map more.
 */
const SERVERS_ONLY_GROUP = 64_433;

/** A user and a group for git alone, which reads what strangers send; nothing else on the machine has them either. */
const GIT_USER = 64_434;

/**
 * PostgreSQL refuses to run as root, and Redis has no need to: as root both run as `nobody`, with a group of their own.
 * For everyone else the answer is undefined: the server runs as the user who started us.
 *
 * @throws {Error} when we are root on a system without the user `nobody`.
 */
export function serverAccount(): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;

  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const uid = Number(nobody?.split(':')[2]);
  if (!(uid > 0)) {
    throw new Error(
      'PostgreSQL does not run as root, and this system has no user "nobody". Start as an ordinary user.',
    );
  }
  return { uid, gid: SERVERS_ONLY_GROUP, name: '"nobody"' };
}

/**
 * As whom git serves the repositories of this service: as root a user of its own, else undefined, the user who started
 * us.
 */
export function gitAccount(): ServerAccount | undefined {
  return process.getuid?.() === 0 ? { uid: GIT_USER, gid: GIT_USER, name: String(GIT_USER) } : undefined;
}

/**
 * Whether the account may enter (or execute) and read `path`. The kernel is asked, as that account, because modes do
 * not tell everything: access lists, mounts and security modules have their say.
 *
 * @throws {Error} when we may not become that account at all.
 */
export function canReach(account: ServerAccount, path: string): boolean {
  const asked = spawnSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], {
    uid: account.uid,
    gid: account.gid,
    cwd: '/',
    stdio: 'ignore',
  });
  if (asked.error !== undefined) {
    throw new Error(
      `We are root but may not start a process as the user ${account.name}, which PostgreSQL, Redis and git need. ` +
        'Start as an ordinary user; for the first two DATABASE_URL and REDIS_URL will do as well.',
      { cause: asked.error },
    );
  }
  return asked.status === 0;
}
