import { writev, writevSync } from 'node:fs';
import type { Readable } from 'node:stream';

const NEWLINE = 0x0a;
/** A longer line is passed on in pieces. */
const MAX_LINE_BYTES = 1_048_576;
/** Above this limit, the output of the processes is not read until the reader catches up. */
const PAUSE_AT_BYTES = 4_194_304;
const RETRY_MS = 10;

/**
 * Writes the lines of several processes to one file descriptor and keeps each line whole. If the processes wrote to the
 * same pipe themselves, their lines could be mixed when it is full. A slow reader slows down only the writers.
 */
export class LineRelay {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private isWriting = false;
  private readonly sources = new Set<Readable>();
  private readonly flushed: (() => void)[] = [];

  constructor(private readonly descriptor: number) {}

  /** Relays all lines of a stream until it ends. */
  add(source: Readable): void {
    let rest = Buffer.alloc(0);
    this.sources.add(source);
    source.on('data', (chunk: Buffer) => {
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end === 0 && rest.length + chunk.length < MAX_LINE_BYTES) {
        rest = Buffer.concat([rest, chunk]);
        return;
      }
      const cut = end === 0 ? chunk.length : end;
      this.push(Buffer.concat([rest, chunk.subarray(0, cut)]));
      rest = Buffer.from(chunk.subarray(cut));
    });
    source.once('close', () => {
      this.sources.delete(source);
      // The process was killed in the middle of a line.
      if (rest.length > 0) this.push(Buffer.concat([rest, Buffer.from('\n')]));
    });
    source.on('error', () => undefined);
  }

  /** Writes a line of this process. */
  write(line: string): void {
    this.push(Buffer.from(line));
  }

  flush(callback: (error?: Error) => void): void {
    if (this.isWriting)
      this.flushed.push(() => {
        callback();
      });
    else callback();
  }

  /** Writes the rest before the process exits. */
  flushNow(): void {
    try {
      if (this.waiting.length > 0) writevSync(this.descriptor, this.waiting.splice(0));
    } catch {
      // The reader is gone or not reading.
    }
  }

  private push(lines: Buffer): void {
    this.waiting.push(lines);
    this.waitingBytes += lines.length;
    if (this.waitingBytes > PAUSE_AT_BYTES) for (const source of this.sources) source.pause();
    if (!this.isWriting) this.writeWaiting();
  }

  private writeWaiting(): void {
    const batch = this.waiting.splice(0);
    if (batch.length === 0) {
      this.isWriting = false;
      for (const done of this.flushed.splice(0)) done();
      return;
    }
    this.isWriting = true;
    writev(this.descriptor, batch, (error, written) => {
      if (error?.code === 'EAGAIN') {
        this.waiting.unshift(...batch);
        setTimeout(() => {
          this.writeWaiting();
        }, RETRY_MS);
        return;
      }
      // The reader is gone, so the rest is dropped.
      const left = error === null ? remainderOf(batch, written) : [];
      this.waiting.unshift(...left);
      this.waitingBytes = this.waiting.reduce((sum, { length }) => sum + length, 0);
      if (this.waitingBytes < PAUSE_AT_BYTES / 2) for (const source of this.sources) source.resume();
      this.writeWaiting();
    });
  }
}

function remainderOf(batch: readonly Buffer[], written: number): Buffer[] {
  let skip = written;
  return batch.flatMap((buffer) => {
    const rest = buffer.subarray(Math.min(skip, buffer.length));
    skip = Math.max(0, skip - buffer.length);
    return rest.length > 0 ? [rest] : [];
  });
}
