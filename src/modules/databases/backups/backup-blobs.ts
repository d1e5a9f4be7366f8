import { buffer } from 'node:stream/consumers';
import { BlobStorage, contentOf } from '../../../platform/blobs/blob-storage.js';
import { nameOfSegment, type WalRange } from './wal-segments.js';

/** The storage of backups of project databases, which `DATABASE_BACKUPS_URL` names. */
export abstract class BackupBlobs extends BlobStorage {}

/** A part is held in memory while it is written. */
const PART_BYTES = 16 * 1_048_576;

/** Everything of a cluster lies below this prefix. */
export const prefixOfCluster = (clusterId: string): string => `clusters/${clusterId}/`;

/** A repeated backup writes other bytes, so each attempt has a place of its own. */
export const prefixOfBackup = (clusterId: string, backupId: string): string =>
  `${prefixOfCluster(clusterId)}bases/${backupId}/`;

export const prefixOfAttempt = (clusterId: string, backupId: string, attempt: number): string =>
  `${prefixOfBackup(clusterId, backupId)}${attempt}/`;

type RangeStart = Pick<WalRange, 'timeline' | 'first'>;

/**
 * A range is stored before it has a row. After an interruption, the one that begins with the same segment may be
 * longer, and replaces it, so that no blob is left without a row.
 */
export const keyOfRange = (clusterId: string, { timeline, first }: RangeStart): string =>
  `${prefixOfCluster(clusterId)}wal/${nameOfSegment({ timeline, number: first })}.gz`;

const keyOfPart = (prefix: string, part: number): string => `${prefix}${String(part).padStart(6, '0')}`;

/** Stores a stream as parts, and returns their sizes in their order. */
export async function storeParts(blobs: BlobStorage, prefix: string, source: AsyncIterable<Buffer>): Promise<number[]> {
  const sizes: number[] = [];
  let held: Buffer[] = [];
  let bytes = 0;
  const store = async (): Promise<void> => {
    const content = Buffer.concat(held);
    await blobs.put(keyOfPart(prefix, sizes.length), contentOf(content));
    sizes.push(content.length);
    held = [];
    bytes = 0;
  };
  for await (let chunk of source) {
    while (bytes + chunk.length >= PART_BYTES) {
      const taken = PART_BYTES - bytes;
      held.push(chunk.subarray(0, taken));
      chunk = chunk.subarray(taken);
      await store();
    }
    if (chunk.length > 0) held.push(chunk);
    bytes += chunk.length;
  }
  if (bytes > 0) await store();
  return sizes;
}

/** Reads what {@link storeParts} has stored. @throws {Error} when a part has another size. */
export async function* readParts(blobs: BlobStorage, prefix: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (const [part, size] of sizes.entries()) {
    const content = await buffer(await blobs.get(keyOfPart(prefix, part)));
    if (content.length !== size) throw new Error(`Part ${part} of ${prefix} has ${content.length} bytes, not ${size}.`);
    yield content;
  }
}

export async function deleteBelow(blobs: BlobStorage, prefix: string): Promise<void> {
  for await (const { key } of blobs.list(prefix)) await blobs.delete(key);
}
