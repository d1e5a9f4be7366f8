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

/** An interpreter in a session, line by line. From a pipe, it runs each block and goes on after one that fails. */
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
    if (this.onTerminal) this.context.note(`${this.language}, ${this.session.id}. Ctrl-C interrupts, Ctrl-D leaves.`);
    this.prompt(reader);
    for await (const line of reader) {
      this.block.add(line);
      if (!this.block.goesOn) await this.execute();
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
    if (this.running === undefined) this.prompt(reader);
    else this.running.abort(new Error('interrupted'));
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
