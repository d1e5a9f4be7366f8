import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/**
 * Builds the client library and the command line if their sources have changed. Other tests may do so concurrently.
 */
export function buildPackages(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/build-packages.mjs')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}
