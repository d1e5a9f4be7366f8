import { statfs } from 'node:fs/promises';

import { MEBIBYTE } from './build-disk.js';

/** Builds leave this much of the file system to the rest of the service. */
const KEPT_FREE_BYTES = 512 * MEBIBYTE;
const KEPT_FREE_SHARE = 0.02;

/** True when the file system of a directory has enough space for builds to continue. */
export async function hasRoom(directory: string): Promise<boolean> {
  const { bsize, blocks, bavail } = await statfs(directory);
  return bavail * bsize > Math.min(KEPT_FREE_BYTES, blocks * bsize * KEPT_FREE_SHARE);
}
