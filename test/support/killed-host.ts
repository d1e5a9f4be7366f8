import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Where a host dies by SIGKILL. */
export interface Death {
  /**
   * Parts of what the process does outside of itself, in the order in which they come: SQL to the database of the
   * service, `launch <command>`, `stop server`, `move <from> <to>`, `record <directory>`, `put <key>` or
   * `delete <key>`. It dies before the last of them.
   */
  readonly at: readonly string[];
  /** It dies a moment after the last one has begun instead, which must be a program. */
  readonly whileItRuns?: boolean;
}

/** A process with the role `databases` that a test kills at a chosen moment. */
export class KilledHost {
  private readonly child: ChildProcess;
  private readonly closed: Promise<string>;
  private output = '';
  private log = '';
  /** The port of its gateway, once it has started. */
  port = 0;

  /** It loads the service at once, and waits for {@link start}. */
  constructor(
    private readonly settings: Readonly<Record<string, string>>,
    user: { readonly uid?: number; readonly gid?: number } = {},
  ) {
    this.child = spawn(
      process.execPath,
      ['--require', join(__dirname, 'typescript-hook.cjs'), join(__dirname, 'killed-host.process.ts')],
      { ...user, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    this.child.stdin!.on('error', () => undefined);
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.log += chunk.toString();
    });
    this.closed = once(this.child, 'close').then(([code, signal]) => String(signal ?? code));
  }

  get pid(): number {
    return this.child.pid!;
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.said(/loaded\n/);
    this.order({ start: { ...this.settings, ...settings } });
    this.port = Number((await this.said(/started (\d+)\n/))[1]);
  }

  /** Resolves when the process will die there. */
  async dieAt(death: Death): Promise<void> {
    this.order({ die: death });
    await this.said(/armed\n/);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Resolves when it was killed. @throws {Error} when it ended in another way. */
  async died(): Promise<void> {
    const end = await this.closed;
    if (end !== 'SIGKILL') throw new Error(`The host ended with ${end}: ${this.log.slice(-4_000)}`);
  }

  /** Stops it in order. */
  async stop(): Promise<void> {
    this.child.stdin!.end();
    const end = await this.closed;
    if (end !== '0') throw new Error(`The host ended with ${end}: ${this.log.slice(-4_000)}`);
  }

  /** The end of its log, which says why something did not happen. */
  get lastLines(): string {
    return this.log.slice(-4_000);
  }

  private order(order: object): void {
    this.child.stdin!.write(`${JSON.stringify(order)}\n`);
  }

  private async said(what: RegExp): Promise<RegExpExecArray> {
    const ended = this.closed.then((end) => {
      throw new Error(`The host ended with ${end}: ${this.lastLines}`);
    });
    ended.catch(() => undefined);
    for (;;) {
      const found = what.exec(this.output);
      if (found !== null) return found;
      await Promise.race([once(this.child.stdout!, 'data'), ended]);
    }
  }
}
