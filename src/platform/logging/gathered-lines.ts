import pino, { type DestinationStream } from 'pino';

/**
 * Lines are gathered up to this size, or this time, whichever comes first: what a write costs hardly depends on how
 * much is written, and for each line it would be more than all the rest of a call.
 */
const GATHER_CHARACTERS = 32_768;
const GATHER_MS = 50;
const MAX_WRITE_BYTES = 65_536;

type Output = ReturnType<typeof pino.destination>;

/** Puts lines together before they go on; pino's own stream does the same, but measures every line in bytes first. */
export class GatheredLines implements DestinationStream {
  private text = '';
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly output: Output) {}

  /** What was written is there when the process has ended, however it did, but for a signal that cannot be caught. */
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
    process.once('exit', () => {
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

  private passOnNow(): void {
    if (this.text === '') return;
    try {
      this.passOn();
      this.output.flushSync();
    } catch {
      // Whoever read it has gone.
    }
  }
}
