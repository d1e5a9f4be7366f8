import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { ByteRange } from '../../../platform/blobs/blob-storage.js';
import type { ObjectPart, StoredObject } from '../persistence/bucket-rows.js';
import { ObjectBlobs } from '../writes/object-blobs.js';

/** Reads the bytes of objects. */
@Injectable()
export class ObjectReads {
  constructor(private readonly blobs: ObjectBlobs) {}

  /** Returns the bytes, or those of a range that lies in the object. @throws {BlobMissing} */
  async open({ parts, size }: Pick<StoredObject, 'parts' | 'size'>, range?: ByteRange): Promise<Readable> {
    if (size === 0) return Readable.from([]);
    const pieces = piecesOf(parts, range ?? { start: 0, end: size - 1 });
    if (pieces.length === 1) return this.blobs.get(pieces[0]!.blob, rangeOf(pieces[0]!));
    return Readable.from(this.read(pieces), { objectMode: false });
  }

  /** The same as {@link open} opens, which happens when they are read. What is not read need not be closed. */
  async *bytes(object: Pick<StoredObject, 'parts' | 'size'>, range?: ByteRange): AsyncGenerator<Buffer> {
    yield* (await this.open(object, range)) as AsyncIterable<Buffer>;
  }

  /** Returns all bytes of a small object. @throws {BlobMissing} */
  async bytesOf({ parts }: Pick<StoredObject, 'parts'>): Promise<Buffer> {
    const [first] = parts;
    if (first !== undefined && parts.length === 1) return this.blobs.read(first[0], first[1]);
    return Buffer.concat(await Promise.all(parts.map(([blob, size]) => this.blobs.read(blob, size))));
  }

  private async *read(pieces: readonly Piece[]): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield* (await this.blobs.get(piece.blob, rangeOf(piece))) as AsyncIterable<Buffer>;
  }
}

interface Piece extends ByteRange {
  readonly blob: string;
  readonly isWhole: boolean;
}

/** Returns what a range takes from each part. */
function piecesOf(parts: readonly ObjectPart[], { start, end }: ByteRange): Piece[] {
  const pieces: Piece[] = [];
  let before = 0;
  for (const [blob, size] of parts) {
    const from = Math.max(start - before, 0);
    const to = Math.min(end - before, size - 1);
    if (from <= to) pieces.push({ blob, start: from, end: to, isWhole: from === 0 && to === size - 1 });
    before += size;
  }
  return pieces;
}

const rangeOf = ({ start, end, isWhole }: Piece): ByteRange | undefined => (isWhole ? undefined : { start, end });
