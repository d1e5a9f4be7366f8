import { Duplex } from 'node:stream';

/** The codes of requests for encryption, which clients may send before their startup message. */
const REQUESTS: ReadonlySet<number> = new Set([80_877_103, 80_877_104]);
const REQUEST_BYTES = 8;
const NO = 'N';
/** A client asks for each kind at most once. */
const MOST_REQUESTS = 2;

/**
 * A connection to a database whose client is on this machine: it is asked to go without encryption, and everything from
 * its startup message on passes through.
 */
export class PlainConnection extends Duplex {
  private waiting: Buffer = Buffer.alloc(0);
  private requests = 0;
  private hasBegun = false;

  constructor(private readonly inner: Duplex) {
    super({ allowHalfOpen: true });
    inner.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) inner.pause();
    });
    inner.once('end', () => this.push(null));
    inner.once('error', (error) => this.destroy(error));
    inner.once('close', () => {
      if (!inner.readableEnded) this.destroy();
    });
  }

  override _read(): void {
    this.inner.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.hasBegun) {
      this.inner.write(chunk, done);
      return;
    }
    this.waiting = Buffer.concat([this.waiting, chunk]);
    while (this.waiting.length >= REQUEST_BYTES) {
      if (!this.isRequest()) {
        this.begin(done);
        return;
      }
      this.requests += 1;
      this.waiting = this.waiting.subarray(REQUEST_BYTES);
      this.push(NO);
    }
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.hasBegun) this.begin(() => undefined);
    this.inner.end(() => {
      done();
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.inner.destroy();
    done(error);
  }

  private isRequest(): boolean {
    return (
      this.requests < MOST_REQUESTS &&
      this.waiting.readInt32BE(0) === REQUEST_BYTES &&
      REQUESTS.has(this.waiting.readInt32BE(4))
    );
  }

  private begin(done: (error?: Error | null) => void): void {
    this.hasBegun = true;
    const first = this.waiting;
    this.waiting = Buffer.alloc(0);
    this.inner.write(first, done);
  }
}
