import pino, { type DestinationStream } from 'pino';

/**
 * Lines are buffered up to this size or time, whichever comes first. The cost of a write hardly depends on its size,
 * and a write per line would cost more than the rest of a request.
 */
const GATHER_CHARACTERS = 32_768;
const GATHER_MS = 50;
const MAX_WRITE_BYTES = 65_536;
/** A write to a reader that keeps up takes microseconds, once a thread has begun with it. */
const LAST_WRITE_MS = 100;

type Output = ReturnType<typeof pino.destination>;

/** Buffers lines before they are written. pino's own stream does the same, but first measures every line in bytes. */
export class GatheredLines implements DestinationStream {
  private text = '';
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly output: Output) {}

  /**
   * Writes to standard output. Buffered lines are written even when the process ends, except on a signal that cannot be
   * caught.
   */
  static toStandardOutput(): GatheredLines {
    const lines = new GatheredLines(
      pino.destination({
        dest: 1,
        sync: false,
        minLength: GATHER_CHARACTERS,
        maxWrite: MAX_WRITE_BYTES,
        periodicFlush: GATHER_MS,
      }),
    );
    // Before the listener of pino, which would write what it holds at once.
    process.prependOnceListener('exit', () => {
      lines.waitForWrite();
      lines.passOnNow();
    });
    return lines;
  }

  write(line: string): void {
    this.text += line;
    if (this.text.length >= GATHER_CHARACTERS) this.passOn();
    else
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.passOn();
        this.output.flush();
      }, GATHER_MS).unref();
  }

  flush(callback: (error?: Error) => void): void {
    this.passOn();
    this.output.flush(callback);
  }

  private passOn(): void {
    const { text } = this;
    if (text === '') return;
    this.text = '';
    this.output.write(text);
  }

  /** A thread may have a write still to do, and what is written from here would come before it. */
  private waitForWrite(): void {
    if (Reflect.get(this.output, '_writing') === true)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
  }

  private passOnNow(): void {
    if (this.text === '') return;
    try {
      this.passOn();
      this.output.flushSync();
    } catch {
      // The reader of standard output has closed it.
    }
  }
}
