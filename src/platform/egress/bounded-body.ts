import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** What {@link BoundedBody} understands, for the header `accept-encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

export interface BodyBytes {
  readonly bytes: Buffer;
  /** True when the body goes on, and the rest was left. */
  readonly isCut: boolean;
}

/**
 * The decompressed body of an answer, up to a limit. Only as much is decompressed as is returned, and no more is read
 * than the limit either, so that neither a bomb nor an endless stream of empty blocks costs more than an honest body.
 */
export class BoundedBody {
  constructor(
    private readonly answer: IncomingMessage,
    private readonly maxBytes: number,
  ) {}

  /** @throws {Error} when the body breaks off, or is not encoded as it says. */
  async read(): Promise<BodyBytes> {
    const parts: Buffer[] = [];
    let isCut = false;
    for await (const { part, isLast } of this.parts()) {
      parts.push(part);
      isCut = isLast;
    }
    return { bytes: Buffer.concat(parts), isCut };
  }

  /** Yields the body as it arrives; the part that reaches the limit is the last one. @throws as {@link read}. */
  async *parts(): AsyncGenerator<{ readonly part: Buffer; readonly isLast: boolean }> {
    const source = this.decoded();
    let left = this.maxBytes;
    try {
      for await (const part of source as AsyncIterable<Buffer>) {
        if (part.length > left) {
          yield { part: part.subarray(0, left), isLast: true };
          return;
        }
        left -= part.length;
        yield { part, isLast: false };
      }
    } finally {
      this.answer.destroy();
      source.destroy();
    }
  }

  private decoded(): IncomingMessage | Transform {
    const encoding = (this.answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (encoding === 'identity' || encoding === '') return this.answer;
    const decoder = decoderOf(encoding);
    if (decoder === undefined) {
      this.answer.destroy();
      throw new Error('The encoding of the body is unknown.');
    }
    let left = this.maxBytes;
    this.answer.on('data', (part: Buffer) => {
      left -= part.length;
      if (left < 0) decoder.destroy(new Error('The compressed body is too large.'));
    });
    this.answer.on('error', (error) => decoder.destroy(error));
    return this.answer.pipe(decoder);
  }
}

function decoderOf(encoding: string): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
