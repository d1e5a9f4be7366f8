import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './failures.js';

/** Asks questions on standard error. Reads the answers from the terminal, or line by line from a pipe. */
export class Prompt {
  private readonly reader: Interface;
  private readonly lines: string[] = [];
  private ended = false;
  private muted = false;
  private arrived: () => void = () => undefined;

  /** `onInterrupt` is what Ctrl-C does on a terminal. By default, it ends the questions. */
  constructor(onInterrupt?: () => void) {
    // Readline echoes what is typed to this stream.
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.muted) process.stderr.write(chunk);
        done();
      },
    });
    this.reader = createInterface({ input: process.stdin, output: echo, terminal: process.stdin.isTTY });
    this.reader.on('line', (line) => {
      this.lines.push(line);
      this.arrived();
    });
    this.reader.on('close', () => {
      this.ended = true;
      this.arrived();
    });
    // The terminal is in raw mode, so Ctrl-C arrives as a key and not as a signal.
    this.reader.on(
      'SIGINT',
      onInterrupt ??
        (() => {
          this.reader.close();
        }),
    );
  }

  /** @throws {UsageError} when the input has ended. */
  async ask(question: string): Promise<string> {
    return given(await this.askOrEnd(question));
  }

  /** Resolves to undefined when the input has ended. */
  askOrEnd(question: string): Promise<string | undefined> {
    process.stderr.write(question);
    return this.nextLine();
  }

  /** Asks without an echo of what is typed. */
  async askSecret(question: string): Promise<string> {
    process.stderr.write(question);
    this.muted = true;
    try {
      return given(await this.nextLine());
    } finally {
      this.muted = false;
      process.stderr.write('\n');
    }
  }

  close(): void {
    this.reader.close();
  }

  private async nextLine(): Promise<string | undefined> {
    while (this.lines.length === 0 && !this.ended)
      await new Promise<void>((resolve) => {
        this.arrived = resolve;
      });
    return this.lines.shift();
  }
}

function given(line: string | undefined): string {
  if (line === undefined) throw new UsageError('No answer was given. Run the command again.');
  return line;
}
