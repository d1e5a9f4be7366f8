import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The operating-system user that a server runs as when it is not the user who started the service. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
  /** The name that messages show. */
  readonly name: string;
}

/**
 * A group that nothing else on the machine has. Other programs also run as `nobody`, but only members of this group
 * reach the servers' home. The kernel does not require an entry in /etc/group. The number is below 65536 because
 * containers seldom map more.
 */
const SERVERS_ONLY_GROUP = 64_433;

/** A user and a group for git alone, which parses untrusted input. Nothing else on the machine has them. */
const GIT_USER = 64_434;

/**
 * The user that PostgreSQL and Redis run as. PostgreSQL refuses to run as root and Redis does not need to, so as root
 * both run as `nobody` with a group of their own. Otherwise this is undefined: the server runs as the user who started
 * the service.
 * @throws {Error} when the service is root on a system without the user `nobody`.
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
 * The user that git serves the repositories as: a dedicated one when the service is root, else undefined, which means
 * the user who started the service.
 */
export function gitAccount(): ServerAccount | undefined {
  return process.getuid?.() === 0 ? { uid: GIT_USER, gid: GIT_USER, name: String(GIT_USER) } : undefined;
}

/**
 * True when the account may enter (or execute) and read `path`. The kernel is asked as that account, because file modes
 * alone do not decide: access lists, mounts and security modules do too.
 * @throws {Error} when the service may not start a process as that account.
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
      `The service is root but cannot start a process as the user ${account.name}, ` +
        'which PostgreSQL, Redis and git need. ' +
        'Start as an ordinary user, or set DATABASE_URL and REDIS_URL for the first two.',
      { cause: asked.error },
    );
  }
  return asked.status === 0;
}
