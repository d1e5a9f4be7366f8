import { createInterface, type Interface } from 'node:readline';
import type { Language } from '@service/client';
import type { LiveSession } from '@service/client/sandbox';
import type { Context } from '../context.js';
import { textOf } from '../failures.js';
import { Block } from './block.js';
import { type EndedRun, passBeside } from './ended-run.js';
import { printed } from './printed-run.js';
import type { SavedResults } from './saved-results.js';

/** What is kept of each step. */
interface KeptOfSteps {
  readonly results: SavedResults;
  /** Saves the artifacts. Without it, none are sent. */
  readonly saveArtifacts?: ((ended: EndedRun) => Promise<void>) | undefined;
}

/** Nobody types two lines this fast. A text that is pasted may have empty lines in a row. */
const PASTED_WITHIN_MS = 20;

/**
 * An interpreter in a session, line by line. Whether a block goes on is guessed, so a terminal has two ways out of one
 * that never ends: two empty lines run it as it is, and Ctrl-C drops it. From a pipe, it runs
 * each block and goes on after one that fails, and runs what goes on at its end.
 */
export class Repl {
  private readonly onTerminal = process.stdin.isTTY;
  private block: Block;
  private running: AbortController | undefined;

  constructor(
    private readonly context: Context,
    private readonly session: LiveSession,
    private readonly language: Language,
    private readonly kept: KeptOfSteps,
  ) {
    this.block = new Block(language);
  }

  async run(): Promise<void> {
    const reader = createInterface({
      input: process.stdin,
      terminal: this.onTerminal,
      ...(this.onTerminal ? { output: process.stderr } : {}),
    });
    // The terminal is in raw mode, so Ctrl-C arrives as a key and not as a signal.
    reader.on('SIGINT', () => {
      this.interrupt(reader);
    });
    const arrivals: number[] = [];
    reader.on('line', () => arrivals.push(performance.now()));
    if (this.onTerminal) this.context.note(`${this.language}, ${this.session.id}. Ctrl-C interrupts, Ctrl-D leaves.`);
    this.prompt(reader);
    let lastAtMs = 0;
    for await (const line of reader) {
      const atMs = arrivals.shift()!;
      const isTyped = this.onTerminal && atMs - lastAtMs > PASTED_WITHIN_MS;
      lastAtMs = atMs;
      this.block.add(line);
      if (!this.block.goesOn || (isTyped && this.block.endsWithTwoEmptyLines)) await this.execute();
      this.prompt(reader);
    }
    await this.execute();
  }

  private prompt(reader: Interface): void {
    if (!this.onTerminal) return;
    reader.setPrompt(this.block.isEmpty ? '>>> ' : '... ');
    reader.prompt();
  }

  private interrupt(reader: Interface): void {
    this.block = new Block(this.language);
    // Closing the connection ends the run.
    if (this.running !== undefined) {
      this.running.abort(new Error('interrupted'));
      return;
    }
    // What is typed of a line goes as well: from its end back to its start.
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    process.stderr.write('\n');
    this.prompt(reader);
  }

  private async execute(): Promise<void> {
    const { code } = this.block;
    this.block = new Block(this.language);
    if (code.trim() === '') return;
    this.running = new AbortController();
    try {
      const { results, saveArtifacts } = this.kept;
      const step = saveArtifacts === undefined ? code : { code, artifacts: true };
      const ended = await printed(this.session.stream(step, { signal: this.running.signal }));
      await passBeside(ended, results);
      await saveArtifacts?.(ended);
    } catch (error) {
      process.stderr.write(`${textOf(error, this.context.url)}\n`);
      // Without its session there is nothing to go on with. A time-out has a code, too, which is a number.
      const { code } = error as { readonly code?: unknown };
      if (typeof code === 'string' && code.startsWith('sandbox_session_')) throw error;
    } finally {
      this.running = undefined;
    }
  }
}
