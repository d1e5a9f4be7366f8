import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Runs `work` while no other process that locks this directory does. The kernel releases the lock when this process
 * ends, however it ends.
 */
export async function withLock<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const descriptor = openSync(join(directory, 'lock'), 'a');
  try {
    // The lock belongs to the open file, and so to this descriptor. Without `flock`, two processes may do the same work
    // twice.
    await new Promise<void>((resolve) => {
      spawn('flock', ['3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] })
        .on('error', () => {
          resolve();
        })
        .on('close', () => {
          resolve();
        });
    });
    return await work();
  } finally {
    closeSync(descriptor);
  }
}
