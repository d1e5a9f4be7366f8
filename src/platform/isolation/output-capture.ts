import { type Readable } from 'node:stream';

import { endOf } from './contained-child.js';
import { type CapturedOutput } from './isolation-spec.js';

/** Keeps the first bytes of a stream, up to a limit. */
export class OutputCapture {
  /** Resolves when nothing can write any longer. */
  readonly ended: Promise<void>;

  private readonly chunks: Buffer[] = [];
  private size = 0;
  private truncated = false;
  private onKept: ((chunk: Buffer) => void) | undefined;
  private onAll: ((chunk: Buffer) => Promise<void>) | undefined;
  private hurries = false;

  constructor(
    private readonly stream: Readable,
    private limitBytes: number,
    private readonly onOverflow: () => void,
  ) {
    this.ended = endOf(stream);
    stream.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
  }

  /** Must be called before the program writes anything. `onKept` gets each chunk that is kept, as it arrives. */
  limitTo(bytes: number, onKept?: (chunk: Buffer) => void): void {
    this.limitBytes = bytes;
    this.onKept = onKept;
  }

  /** Gives all that arrives from now on to `onAll`, too. While that is pending, the stream waits. */
  passTo(onAll: (chunk: Buffer) => Promise<void>): void {
    this.onAll = onAll;
  }

  /** Lets the stream wait no longer. Nothing writes to it any more, so what is left of it is small. */
  hurry(): void {
    this.hurries = true;
    this.stream.resume();
  }

  captured(): CapturedOutput {
    return { bytes: Buffer.concat(this.chunks, this.size), truncated: this.truncated };
  }

  close(): void {
    this.stream.destroy();
  }

  private take(chunk: Buffer): void {
    this.pass(chunk);
    const room = this.limitBytes - this.size;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (kept.length > 0) {
      this.chunks.push(kept);
      this.size += kept.length;
      this.onKept?.(kept);
    }
    if (chunk.length <= room || this.truncated) return;

    this.truncated = true;
    if (this.onAll === undefined) this.onOverflow();
  }

  private pass(chunk: Buffer): void {
    if (this.onAll === undefined) return;
    const passed = this.onAll(chunk);
    if (this.hurries) return;
    this.stream.pause();
    void passed.then(() => this.stream.resume());
  }
}
