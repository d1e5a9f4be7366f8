import { createInterface, type Interface } from 'node:readline';
import type { Database, Service } from '@service/client';
import type { Context } from '../context.js';
import { textOf } from '../failures.js';
import { printable } from '../terminal.js';
import { describe, type Described, HELP } from './describe.js';
import { placeText } from './query-failure.js';
import { resultText } from './result-table.js';
import type { ShellHistory } from './shell-history.js';
import { isBlank, splitStatements } from './statements.js';

/** A prompt for SQL on a terminal. From a pipe, it runs each statement and stops at the first that fails. */
export class Shell {
  private readonly onTerminal = process.stdin.isTTY;
  private typed = '';
  private expanded = false;
  private ended = false;
  private running: AbortController | undefined;

  constructor(
    private readonly context: Context,
    private readonly service: Service,
    private readonly database: Database,
    private canWrite: boolean,
  ) {}

  async run(history: ShellHistory): Promise<void> {
    const reader = createInterface({
      input: process.stdin,
      terminal: this.onTerminal,
      ...(this.onTerminal ? { output: process.stderr, history: await history.read(), historySize: history.size } : {}),
    });
    reader.on('history', (lines) => {
      history.lines = lines;
    });
    // The terminal is in raw mode, so Ctrl-C arrives as a key and not as a signal.
    reader.on('SIGINT', () => {
      this.interrupt(reader);
    });
    if (this.onTerminal) this.context.note(this.greeting());
    this.prompt(reader);
    for await (const line of reader) {
      await this.take(line);
      if (this.ended) break;
      this.prompt(reader);
    }
    reader.close();
    // From a file, the last statement needs no semicolon.
    if (!this.onTerminal && !isBlank(this.typed)) await this.execute(this.typed);
    if (this.onTerminal) await history.write();
  }

  private greeting(): string {
    const mode = this.canWrite ? 'Statements can change data.' : 'Nothing can be changed: see --write.';
    return `${printable(this.database.name)} (${this.database.id}). ${mode} \\? shows help, \\q leaves.`;
  }

  private prompt(reader: Interface): void {
    if (!this.onTerminal) return;
    reader.setPrompt(`${printable(this.database.name)}${isBlank(this.typed) ? '=' : '-'}${this.canWrite ? '#' : '>'} `);
    reader.prompt();
  }

  private interrupt(reader: Interface): void {
    if (this.running !== undefined) {
      this.running.abort(new Error('Cancelled.'));
      return;
    }
    this.typed = '';
    process.stderr.write('\n');
    this.prompt(reader);
  }

  private async take(line: string): Promise<void> {
    if (isBlank(this.typed) && line.trimStart().startsWith('\\')) {
      this.typed = '';
      await this.command(line.trim());
      return;
    }
    if (line.trim() === '\\r') {
      this.typed = '';
      return;
    }
    const { statements, rest } = splitStatements(`${this.typed}${line}\n`);
    this.typed = isBlank(rest) ? '' : rest;
    for (const statement of statements) if (!(await this.execute(statement))) return;
  }

  private async command(line: string): Promise<void> {
    const [name = '', ...words] = line.slice(1).replace(/;$/, '').split(/\s+/);
    const questions = describe(name, words.length === 0 ? undefined : words.join(' '));
    if (questions !== undefined) {
      for (const question of questions) if (!(await this.show(question))) return;
      return;
    }
    switch (name) {
      case 'q':
        this.ended = true;
        return;
      case 'x':
        this.expanded = !this.expanded;
        this.context.note(`Rows are shown as ${this.expanded ? 'blocks' : 'a table'}.`);
        return;
      case 'write':
        this.canWrite = !this.canWrite;
        this.context.note(this.canWrite ? 'Statements can change data now.' : 'Nothing can be changed now.');
        return;
      case 'r':
        return;
      default:
        this.context.note(name === '?' ? HELP : `There is no command ${printable(line)}. \\? shows help.`);
    }
  }

  private show({ title, sql, params }: Described): Promise<boolean> {
    return this.guarded(sql, async (signal) => {
      const query = { sql, access: 'read' as const, ...(params === undefined ? {} : { params }) };
      const result = await this.service.databases.query(this.database.id, query, { signal });
      if (title !== undefined && result.rows.length === 0) return;
      if (title !== undefined && !this.context.json) process.stdout.write(`\n${this.context.paint.bold(title)}\n`);
      this.context.print(result, resultText(this.context.paint, result));
    });
  }

  private execute(sql: string): Promise<boolean> {
    return this.guarded(sql, async (signal) => {
      const query = { sql, access: this.canWrite ? ('write' as const) : ('read' as const) };
      const result = await this.service.databases.query(this.database.id, query, { signal });
      this.context.print(result, resultText(this.context.paint, result, this.expanded));
      if (this.onTerminal) this.context.note(this.context.notePaint.dim(`${Math.round(result.duration_ms)} ms`));
    });
  }

  /** On a terminal, a failure is shown and the next statement can be typed. Returns false then. */
  private async guarded(sql: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    this.running = new AbortController();
    try {
      await work(this.running.signal);
      return true;
    } catch (error) {
      const place = placeText(sql, error);
      if (place !== undefined) this.context.note(place);
      if (!this.onTerminal) throw error;
      this.context.note(`${this.context.notePaint.red('ERROR:')} ${textOf(error, this.context.url)}`);
      return false;
    } finally {
      this.running = undefined;
    }
  }
}
