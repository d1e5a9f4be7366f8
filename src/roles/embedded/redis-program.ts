import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { canReach, type ServerAccount } from '../../platform/accounts/server-account.js';

/** BullMQ requires 6.2. */
const OLDEST = [6, 2] as const;
/** Some distributions have Valkey instead, which has the same protocol and settings. */
const NAMES = ['redis-server', 'valkey-server'];

/**
 * Finds the system's Redis.
 *
 * @returns its absolute path.
 * @throws {Error} when it is missing, too old or not executable by the account of the server, with what to do.
 */
export async function findRedisProgram(account: ServerAccount | undefined): Promise<string> {
  const path = await locate();
  const { stdout } = await promisify(execFile)(path, ['--version']);
  const [, major = 0, minor = 0] = (/v=(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new Error(
      `${path} is Redis ${major}.${minor}, and the service needs ${OLDEST.join('.')} or later. ` +
        'Install a newer one, or set REDIS_URL to your own Redis server.',
    );
  }
  if (account !== undefined && !canReach(account, path)) {
    throw new Error(
      `${path} cannot be run by the user "nobody", which runs Redis for root. Install it for the whole system.`,
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
      // The shell did not find the program.
    }
  }
  throw new Error(
    'Redis is missing. Run `node scripts/system-packages.mjs` to install it or to see the command, ' +
      'or set REDIS_URL to your own Redis server.',
  );
}
