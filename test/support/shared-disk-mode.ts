import { BuildDirectories } from '../../src/modules/builds/workspace/build-directories.js';
import type { IsolatedBuilds } from '../../src/modules/builds/isolated/isolated-builds.js';
import { BuildDisks, type DiskMode } from '../../src/modules/builds/workspace/disk/build-disks.js';

/**
 * Finds out once for all test files whether this machine can make file systems for builds. An app tries it by making
 * one, with four programs.
 */
export async function findDiskMode(directory: string): Promise<void> {
  process.env['TEST_DISK_MODE'] = JSON.stringify(await new BuildDisks(new BuildDirectories(directory), 'auto').mode());
}

export function shareDiskMode(builds: IsolatedBuilds): void {
  const found = process.env['TEST_DISK_MODE'];
  if (found === undefined) return;
  const { disks } = builds as unknown as { disks: BuildDisks };
  disks.mode = () => Promise.resolve(JSON.parse(found) as DiskMode);
}
