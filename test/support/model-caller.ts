import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { OrgMembership } from '../../src/modules/auth/principal.js';

/** Calls of a model that another process makes, all at once. */
export interface CallerOrder {
  readonly settings: Readonly<Record<string, string>>;
  readonly org: OrgMembership;
  readonly userId: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly calls: number;
  /** The process dies by SIGKILL before this query of its calls, counted from 1. */
  readonly dieBefore?: number;
}

/** What became of the calls of a process. */
export interface CallerReport {
  readonly succeeded: number;
  /** The number of refusals by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** How many queries the calls have sent to the database. */
  readonly queries: number;
}

/** Runs an order in another process, and kills it when the test is over. */
export class ModelCaller {
  private readonly child: ChildProcess;
  private output = '';
  private faults = '';
  /** How many calls were refused so far for want of money. */
  refusals = 0;

  constructor(order: CallerOrder) {
    this.child = spawn(
      process.execPath,
      [
        ...['--require', join(__dirname, 'typescript-hook.cjs')],
        ...[join(__dirname, 'model-caller.process.ts'), JSON.stringify(order)],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
      this.refusals = this.output.split('refused\n').length - 1;
    });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.faults += chunk.toString();
    });
  }

  /** Resolves with the report, or with undefined when the process was killed. */
  async report(): Promise<CallerReport | undefined> {
    const [code, signal] = (await once(this.child, 'close')) as [number | null, string | null];
    if (signal === 'SIGKILL') return undefined;
    if (code !== 0) throw new Error(`The caller ended with ${String(code ?? signal)}: ${this.faults}`);
    return JSON.parse(this.output.slice(this.output.lastIndexOf('\n') + 1)) as CallerReport;
  }
}
