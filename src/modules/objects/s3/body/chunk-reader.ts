import { S3Error } from '../s3-error.js';

const CR = 13;
const LF = 10;
const MAX_LINE = 1_024;

/** Reads lines and counted bytes from pieces of any size. */
export class ChunkReader {
  private buffered: Buffer = Buffer.alloc(0);
  private readonly source: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Returns a line without its CRLF. @throws {S3Error} */
  async line(): Promise<string> {
    for (;;) {
      const end = this.buffered.indexOf(LF);
      if (end === -1 && this.buffered.length > MAX_LINE) throw malformed();
      if (end !== -1) {
        if (end > MAX_LINE || this.buffered[end - 1] !== CR) throw malformed();
        const line = this.buffered.toString('latin1', 0, end - 1);
        this.buffered = this.buffered.subarray(end + 1);
        return line;
      }
      await this.fill();
    }
  }

  /** Yields exactly so many bytes. @throws {S3Error} */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    let left = count;
    while (left > 0) {
      if (this.buffered.length === 0) await this.fill();
      const piece = this.buffered.subarray(0, left);
      this.buffered = this.buffered.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** @throws {S3Error} unless everything has been read. */
  async end(): Promise<void> {
    if (this.buffered.length > 0 || (await this.source.next()).done !== true)
      throw new S3Error('IncompleteBody', 'There are bytes behind the last chunk.');
  }

  private async fill(): Promise<void> {
    const next = await this.source.next();
    if (next.done === true) throw new S3Error('IncompleteBody');
    this.buffered = this.buffered.length === 0 ? next.value : Buffer.concat([this.buffered, next.value]);
  }
}

const malformed = (): S3Error => new S3Error('InvalidRequest', 'The chunks of the body are malformed.');
