import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTicks } from '../../../platform/isolation/process-facts.js';

/** Removes directories named `<pid>-…` of processes that were killed. */
export async function removeLeftDirectories(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(name.split('-')[0]);
    if (Number.isInteger(pid) && pid !== process.pid && startTicks(pid) === null)
      await rm(join(parent, name), { recursive: true, force: true });
  }
}
