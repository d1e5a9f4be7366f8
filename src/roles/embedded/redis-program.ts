import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { canReach, type ServerAccount } from '../../platform/accounts/server-account.js';

/** BullMQ asks for 6.2. */
const OLDEST = [6, 2] as const;
/** Valkey, which some distributions carry in its place, speaks the same protocol and takes the same settings. */
const NAMES = ['redis-server', 'valkey-server'];

/**
 * Finds the system's Redis.
 *
 * @returns its absolute path.
 * @throws {Error} when it is missing, too old or out of the server account's reach, with what to do.
 */
export async function findRedisProgram(account: ServerAccount | undefined): Promise<string> {
  const path = await locate();
  const { stdout } = await promisify(execFile)(path, ['--version']);
  const [, major = 0, minor = 0] = (/v=(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new Error(
      `${path} is Redis ${major}.${minor}, and the service needs ${OLDEST.join('.')} or later. ` +
        'Install a newer one, or set REDIS_URL to a Redis server of your own.',
    );
  }
  if (account !== undefined && !canReach(account, path)) {
    throw new Error(
      `${path} cannot be run by the user "nobody", as Redis is when we are root. Install it for the whole system.`,
    );
  }
  return path;
}

async function locate(): Promise<string> {
  for (const name of NAMES) {
    try {
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'command -v "$1"', 'sh', name]);
      return stdout.trim();
    } catch {
      // The shell found none of that name.
    }
  }
  throw new Error(
    'Redis is missing. `node scripts/system-packages.mjs` installs it or prints the one command that does; ' +
      'or set REDIS_URL to a Redis server of your own.',
  );
}
