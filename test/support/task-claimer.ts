import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Claims of tasks that another process makes. */
export interface ClaimerOrder {
  readonly settings: Readonly<Record<string, string>>;
  readonly orgId: string;
  readonly swarmId: string;
  /** Each line of the input begins the next of these. */
  readonly parts: readonly ClaimerPart[];
}

/**
 * `race` claims all of these tasks at once. `drain` claims the next task of the swarm until there is none. `hold`
 * claims a task, and `finish` completes what was held.
 */
export type ClaimerPart =
  | { readonly do: 'race'; readonly ids: readonly string[] }
  | { readonly do: 'drain' }
  | { readonly do: 'hold'; readonly id: string; readonly leaseSeconds: number }
  | { readonly do: 'finish' };

/** The ids of claimed tasks, and the number of refusals by code. */
export interface ClaimerReport {
  readonly won: readonly string[];
  readonly refused: Readonly<Record<string, number>>;
}

/** Runs an order in another process, part by part. */
export class TaskClaimer {
  private readonly child: ChildProcess;
  private output = '';
  private faults = '';
  private read = 0;

  constructor(order: ClaimerOrder) {
    this.child = spawn(
      process.execPath,
      [
        ...['--require', join(__dirname, 'typescript-hook.cjs')],
        ...[join(__dirname, 'task-claimer.process.ts'), JSON.stringify(order)],
      ],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.faults += chunk.toString();
    });
  }

  /** Resolves when the process is ready. */
  async ready(): Promise<void> {
    await this.line();
  }

  begin(): void {
    this.child.stdin!.write('go\n');
  }

  /** Resolves with the report of the part that was begun. */
  async report(): Promise<ClaimerReport> {
    return JSON.parse(await this.line()) as ClaimerReport;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(name);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async line(): Promise<string> {
    for (;;) {
      const lines = this.output.split('\n');
      if (lines.length - 1 > this.read) return lines[this.read++]!;
      if (this.child.exitCode !== null) throw new Error(`The claimer ended: ${this.faults}`);
      await Promise.race([once(this.child.stdout!, 'data'), once(this.child, 'close')]);
    }
  }
}
