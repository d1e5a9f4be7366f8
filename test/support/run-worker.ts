import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What another process drives runs with. */
export interface WorkerOrder {
  readonly settings: Readonly<Record<string, string>>;
  /** Where the tools of the test act. */
  readonly effectsUrl: string;
  /** The process dies by SIGKILL before this query, counted from 1 after its start. */
  readonly dieBefore?: number;
  /** True for a worker that also has the tools that agents of the service have. */
  readonly hasTools?: boolean;
  /** The process dies by SIGKILL when this tool has acted, before the result of the call is committed. */
  readonly dieAfterTool?: string;
}

/** A worker in another process, with tools of each class of effect. */
export class RunWorker {
  readonly child: ChildProcess;
  private output = '';
  private faults = '';

  constructor(order: WorkerOrder) {
    this.child = spawn(
      process.execPath,
      [
        ...['--require', join(__dirname, 'typescript-hook.cjs')],
        ...[join(__dirname, 'run-worker.process.ts'), JSON.stringify(order)],
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

  /** Resolves when the process is ready for {@link take}. */
  async ready(): Promise<void> {
    const closed = once(this.child, 'close').then(() => {
      throw new Error(`The worker ended: ${this.faults}`);
    });
    closed.catch(() => undefined);
    while (!this.output.includes('ready\n')) await Promise.race([once(this.child.stdout!, 'data'), closed]);
  }

  /** Takes runs, and resolves with the number of queries when they wait or are over; undefined when it was killed. */
  async take(): Promise<number | undefined> {
    this.child.stdin!.write('take\n');
    const closed = once(this.child, 'close').then(() => undefined);
    const idle = async (): Promise<number> => {
      for (;;) {
        const found = /idle (\d+)\n/.exec(this.output);
        if (found !== null) return Number(found[1]);
        await once(this.child.stdout!, 'data');
      }
    };
    return Promise.race([idle(), closed]);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'close');
  }
}
