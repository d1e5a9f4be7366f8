import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/**
 * Locks a file, which is created when missing, and returns its descriptor, or undefined when another process has the
 * lock. Closing the descriptor releases it.
 *
 * flock(1) locks the file description that it inherits from us, as Node has no call for it. We and all processes that
 * inherit the description hold the lock until the last of us exits.
 */
export async function tryLockFile(path: string): Promise<number | undefined> {
  const descriptor = openSync(path, 'a', 0o600);
  const flock = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  try {
    const [code] = (await once(flock, 'exit')) as [number | null];
    if (code === 0) return descriptor;
    if (code !== 1) throw new Error(`flock could not lock ${path} (exit code ${code ?? 'none'}).`);
  } catch (error) {
    closeSync(descriptor);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('The program "flock" is missing. Install the package util-linux.', { cause: error });
  }
  closeSync(descriptor);
  return undefined;
}
