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

  captured(): CapturedOutput {
    return { bytes: Buffer.concat(this.chunks, this.size), truncated: this.truncated };
  }

  close(): void {
    this.stream.destroy();
  }

  private take(chunk: Buffer): void {
    const room = this.limitBytes - this.size;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (kept.length > 0) {
      this.chunks.push(kept);
      this.size += kept.length;
      this.onKept?.(kept);
    }
    if (chunk.length <= room || this.truncated) return;

    this.truncated = true;
    this.onOverflow();
  }
}
