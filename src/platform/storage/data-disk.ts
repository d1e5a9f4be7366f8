import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const MEBIBYTE = 1_048_576;
const LARGEST_RESERVE_BYTES = 64 * MEBIBYTE;
/** Of a small disk no more than so much is kept free. */
const LARGEST_SHARE = 10;
const BLOCK_BYTES = 512;

/** The disk of the data directory, as one look finds it. */
export interface DiskState {
  readonly sizeBytes: number;
  readonly freeBytes: number;
  /** Writes are refused below so much; 0: never. */
  readonly markBytes: number;
  /** What the reserve file shall hold, see {@link reservePathOf}. */
  readonly reserveBytes: number;
  /** How much of that the reserve has given up. */
  readonly reserveMissingBytes: number;
}

/**
 * A file of the service's own that is given up when something else fills the disk to its end: PostgreSQL needs room in
 * its log even to answer reads and to start. Empty: it has been given up. Absent: this service keeps no such file.
 */
export const reservePathOf = (dataDir: string): string => join(dataDir, 'reserve');

/** @throws {Error} when there is no such directory. */
export async function lookAtDisk(dataDir: string, keptFreeBytes: number): Promise<DiskState> {
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const sizeBytes = blocks * bsize;
  const markBytes = Math.min(keptFreeBytes, Math.floor(sizeBytes / LARGEST_SHARE));
  const reserveBytes = Math.min(markBytes, LARGEST_RESERVE_BYTES);
  const held = await stat(reservePathOf(dataDir)).catch(() => undefined);
  // What is allocated counts: a file with a hole holds nothing.
  const heldBytes = held === undefined ? reserveBytes : held.blocks * BLOCK_BYTES;
  return {
    sizeBytes,
    freeBytes: bavail * bsize,
    markBytes,
    reserveBytes,
    reserveMissingBytes: Math.max(0, reserveBytes - heldBytes),
  };
}

/** What may still be written: what is free, less what the reserve is to have again. */
export const roomOf = ({ freeBytes, reserveMissingBytes }: DiskState): number => freeBytes - reserveMissingBytes;
