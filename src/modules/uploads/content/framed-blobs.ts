import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { IncomingBlob } from '../../repositories/uploaded-trees.js';
import { UploadContentInvalid } from '../uploads.errors.js';

/** 64 hexadecimal digits and a line break. */
const HEAD_BYTES = 65;
const HEAD = /^([0-9a-f]{64})\n$/;

/**
 * Reads blobs from the body of a request: for each its hash, a line break, and as many bytes as were announced. Content
 * is passed on as it arrives; its hash is checked at its end, before the next blob begins.
 */
export class FramedBlobs {
  /** The hashes of the blobs that were read, in their order. */
  readonly hashes: string[] = [];
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  /** `wanted` has the sizes of the blobs that may come, by hash. Each comes at most once. */
  constructor(
    stream: AsyncIterable<Buffer>,
    private readonly wanted: ReadonlyMap<string, number>,
  ) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** @throws {UploadContentInvalid} `upload_content_invalid` */
  async *blobs(): AsyncGenerator<IncomingBlob> {
    try {
      yield* this.checked();
    } finally {
      await this.chunks.return?.();
    }
  }

  private async *checked(): AsyncGenerator<IncomingBlob> {
    const seen = new Set<string>();
    for (let hash = await this.head(); hash !== undefined; hash = await this.head()) {
      const bytes = this.wanted.get(hash);
      if (bytes === undefined || seen.has(hash))
        throw new UploadContentInvalid(
          seen.has(hash) ? `The content ${hash} is sent twice.` : `The upload does not miss the content ${hash}.`,
          hash,
        );
      seen.add(hash);
      yield { bytes, content: this.content(hash, bytes) };
      this.hashes.push(hash);
    }
    if (this.hashes.length === 0) throw new UploadContentInvalid('The body holds no content.');
  }

  private async head(): Promise<string | undefined> {
    let head = Buffer.alloc(0);
    while (head.length < HEAD_BYTES) {
      const part = await this.next(HEAD_BYTES - head.length);
      if (part === undefined) break;
      head = Buffer.concat([head, part]);
    }
    if (head.length === 0) return undefined;
    const hash = HEAD.exec(head.toString('latin1'))?.[1];
    if (hash === undefined)
      throw new UploadContentInvalid('Each content must follow its sha256 in hexadecimal digits and a line break.');
    return hash;
  }

  private async *content(sha256: string, bytes: number): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for (let left = bytes; left > 0;) {
      const part = await this.next(left);
      if (part === undefined) throw new UploadContentInvalid(`The content ${sha256} ends ${left} bytes early.`, sha256);
      hash.update(part);
      left -= part.length;
      yield part;
    }
    if (hash.digest('hex') !== sha256)
      throw new UploadContentInvalid(`The content ${sha256} has another hash.`, sha256);
  }

  /** Returns up to `limit` bytes; undefined at the end. */
  private async next(limit: number): Promise<Buffer | undefined> {
    while (this.rest.length === 0) {
      const next = await this.chunks.next();
      if (next.done === true) return undefined;
      this.rest = next.value;
    }
    const part = this.rest.subarray(0, limit);
    this.rest = this.rest.subarray(part.length);
    return part;
  }
}

/** Passes the stream on, and ends it when its sender is silent for too long. */
export async function* withoutSilence(stream: Readable, longestMs: number): AsyncGenerator<Buffer> {
  const tooSlow = (): void => {
    stream.destroy(new UploadContentInvalid(`Nothing arrived within ${longestMs / 1_000} s.`));
  };
  let timer = setTimeout(tooSlow, longestMs);
  try {
    // A destroyed request could not be answered any more.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(tooSlow, longestMs);
    }
  } finally {
    clearTimeout(timer);
    // What is left is discarded, so that the sender gets to read the answer.
    stream.resume();
  }
}
