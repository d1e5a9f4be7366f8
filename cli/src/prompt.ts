import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './failures.js';

/** Asks questions on the terminal, on standard error; reads the answers line by line where there is no terminal. */
export class Prompt {
  private readonly reader: Interface;
  private readonly lines: string[] = [];
  private ended = false;
  private muted = false;
  private arrived: () => void = () => undefined;

  constructor() {
    // Readline shows what is typed by writing it here.
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
    // The terminal is in raw mode, so that Ctrl-C comes as a key.
    this.reader.on('SIGINT', () => {
      this.reader.close();
    });
  }

  ask(question: string): Promise<string> {
    process.stderr.write(question);
    return this.nextLine();
  }

  /** Shows nothing of what is typed. */
  async askSecret(question: string): Promise<string> {
    process.stderr.write(question);
    this.muted = true;
    try {
      return await this.nextLine();
    } finally {
      this.muted = false;
      process.stderr.write('\n');
    }
  }

  close(): void {
    this.reader.close();
  }

  private async nextLine(): Promise<string> {
    while (this.lines.length === 0 && !this.ended)
      await new Promise<void>((resolve) => {
        this.arrived = resolve;
      });
    const line = this.lines.shift();
    if (line === undefined) throw new UsageError('There was no answer.');
    return line;
  }
}
