import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { ClusterHome } from '../../src/modules/databases/engine/own/cluster-home.js';
import { type ClusterTemplate, UNFINISHED } from '../../src/modules/databases/engine/own/cluster-template.js';

const run = promisify(execFile);

/**
 * The first test file that needs the empty cluster of project databases makes it, which takes seconds, and all others
 * link its files, as no server ever runs on them. TEST_CLUSTER_TEMPLATES is where it is kept.
 */
export function shareClusterTemplate(template: ClusterTemplate, home: ClusterHome): void {
  const kept = process.env['TEST_CLUSTER_TEMPLATES'];
  if (kept === undefined) return;
  const open = template.open.bind(template);
  let opening: Promise<string> | undefined;
  template.open = () => (opening ??= openShared());

  async function openShared(): Promise<string> {
    try {
      for (const name of readdirSync(kept!).filter((each) => !each.endsWith(UNFINISHED)))
        await link(join(kept!, name), join(home.templates, name));
      const directory = await open();
      await link(directory, join(kept!, basename(directory)));
      return directory;
    } catch (error) {
      // The next creation tries again.
      opening = undefined;
      throw error;
    }
  }
}

/** What is there already stays. Nobody sees a directory that is not complete. */
async function link(from: string, to: string): Promise<void> {
  if (existsSync(to)) return;
  const unfinished = `${to}.${randomUUID()}${UNFINISHED}`;
  await run('cp', ['-al', '--', from, unfinished]);
  try {
    renameSync(unfinished, to);
  } catch (error) {
    // Another file was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    rmSync(unfinished, { recursive: true });
  }
}
