import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import { sampleTree } from '../../../../platform/isolation/process-facts.js';

/** Ordinary builds have a few hundred descriptors. Each takes some microseconds to check. */
const MOST_DESCRIPTORS = 50_000;
const MOST_MAPPINGS_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 512;

/** ENOENT and ESRCH mean that the descriptor or its process no longer exists. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Counts the bytes of deleted files that processes still hold open, which no walk through directories finds. Null when
 * they cannot be counted, because a process hides its files or has mapped a deleted file that it has closed. It follows
 * only the kernel's own links below `/proc`, and opens none of them.
 */
export async function heldBytes(rootPid: number, device: number): Promise<number | null> {
  const held = new Map<number, number>();
  const seen = { descriptors: 0 };
  const { pids } = sampleTree(rootPid);
  for (const pid of pids) {
    try {
      await addDescriptors(pid, device, { held, seen });
    } catch (error) {
      if (!isGone(error)) return null;
    }
    if (seen.descriptors > MOST_DESCRIPTORS) return null;
  }
  for (const pid of pids) {
    if (await mapsUnknown(pid, device, held).catch((error: unknown) => !isGone(error))) return null;
  }
  return [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
}

async function addDescriptors(
  pid: number,
  device: number,
  { held, seen }: { held: Map<number, number>; seen: { descriptors: number } },
): Promise<void> {
  for (const name of await readdir(`/proc/${pid}/fd`)) {
    if (++seen.descriptors > MOST_DESCRIPTORS) return;
    const file = await stat(`/proc/${pid}/fd/${name}`).catch((error: unknown) => {
      if (isGone(error)) return null;
      throw error;
    });
    if (file !== null && file.dev === device && file.nlink === 0) held.set(file.ino, file.blocks * BLOCK_BYTES);
  }
}

/** True when a process has mapped a deleted file of the device whose size is not known from a descriptor. */
async function mapsUnknown(pid: number, device: number, known: ReadonlyMap<number, number>): Promise<boolean> {
  // `start-end rwxp offset major:minor inode path (deleted)`, proc(5).
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  const wanted = [major, minor].map((part) => part.toString(16).padStart(2, '0')).join(':');
  const maps = createReadStream(`/proc/${pid}/maps`, { end: MOST_MAPPINGS_BYTES });
  let bytes = 0;
  for await (const line of createInterface({ input: maps })) {
    bytes += line.length + 1;
    const [, , , where, inode] = line.split(/ +/, 5);
    if (where === wanted && line.endsWith(' (deleted)') && !known.has(Number(inode))) return true;
  }
  return bytes >= MOST_MAPPINGS_BYTES;
}
