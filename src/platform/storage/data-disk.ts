import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const MEBIBYTE = 1_048_576;
const LARGEST_RESERVE_BYTES = 64 * MEBIBYTE;
/** At most a tenth of a small disk is kept free. */
const LARGEST_SHARE = 10;
const BLOCK_BYTES = 512;

/** A snapshot of the data directory's disk. */
export interface DiskState {
  readonly sizeBytes: number;
  readonly freeBytes: number;
  /** Writes are refused when less than this is free; 0 disables the check. */
  readonly markBytes: number;
  /** The intended size of the reserve file, see {@link reservePathOf}. */
  readonly reserveBytes: number;
  /** How much of the reserve file was given up. */
  readonly reserveMissingBytes: number;
}

/**
 * A file that the service deletes the contents of when something else fills the disk: PostgreSQL needs room in its log
 * even to answer reads and to start. An empty file was given up; without a file, this service keeps no reserve.
 */
export const reservePathOf = (dataDir: string): string => join(dataDir, 'reserve');

/** @throws {Error} when the directory does not exist. */
export async function lookAtDisk(dataDir: string, keptFreeBytes: number): Promise<DiskState> {
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const sizeBytes = blocks * bsize;
  const markBytes = Math.min(keptFreeBytes, Math.floor(sizeBytes / LARGEST_SHARE));
  const reserveBytes = Math.min(markBytes, LARGEST_RESERVE_BYTES);
  const held = await stat(reservePathOf(dataDir)).catch(() => undefined);
  // Only allocated blocks count, because a file with a hole reserves nothing.
  const heldBytes = held === undefined ? reserveBytes : held.blocks * BLOCK_BYTES;
  return {
    sizeBytes,
    freeBytes: bavail * bsize,
    markBytes,
    reserveBytes,
    reserveMissingBytes: Math.max(0, reserveBytes - heldBytes),
  };
}

/** Returns how much may still be written: what is free, less what the reserve needs to be restored. */
export const roomOf = ({ freeBytes, reserveMissingBytes }: DiskState): number => freeBytes - reserveMissingBytes;
