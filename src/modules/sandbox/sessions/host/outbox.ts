import { type Writable } from 'node:stream';

/** A stream reports only whole writes, and it joins those that wait. */
const PIECE_BYTES = 256 * 1024;

/** Sends what waits for the agent piece by piece, so that one can see how far the agent has read. */
export class Outbox {
  private readonly waiting: Buffer[] = [];
  private bytes = 0;
  private isWriting = false;

  constructor(private readonly stream: Writable) {}

  /** How many bytes the agent has not taken yet. */
  get unreadBytes(): number {
    return this.bytes;
  }

  send(frame: Buffer): void {
    this.waiting.push(frame);
    this.bytes += frame.length;
    this.writeNext();
  }

  /** Forgets what has not been sent. */
  clear(): void {
    this.waiting.length = 0;
    this.bytes = 0;
  }

  private writeNext(): void {
    const [frame] = this.waiting;
    if (this.isWriting || frame === undefined) return;
    const piece = frame.subarray(0, PIECE_BYTES);
    if (piece.length === frame.length) this.waiting.shift();
    else this.waiting[0] = frame.subarray(PIECE_BYTES);
    this.isWriting = true;
    this.stream.write(piece, (error) => {
      this.isWriting = false;
      this.bytes = Math.max(0, this.bytes - piece.length);
      // A stream that has failed ends with its program.
      if (error) this.clear();
      else this.writeNext();
    });
  }
}
