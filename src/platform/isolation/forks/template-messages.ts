import { type Readable, type Writable } from 'node:stream';

import { type ScratchDirectory } from '../isolation-spec.js';

/** One line to the template for each fork. The program in the template defines what it does with it. */
export interface ForkRequest {
  readonly run: number;
  /** Ids in the template's user namespace. */
  readonly user: number;
  readonly group: number;
  readonly scratch: readonly ScratchDirectory[];
  /** The resource limits by name, such as `NOFILE`, in the kernel's units. */
  readonly limits: Readonly<Record<string, number>>;
}

/** What a template reports about one of its forks. */
export interface ForkEvents {
  /** Its first process waits to enter its group. `pid` is its id in the template's namespace. */
  readonly forked: (pid: number) => void;
  /** The program has ended; the status is null when everything was killed. */
  readonly ended: (status: number | null) => void;
  /** Nothing is left of it. */
  readonly gone: () => void;
}

/** The two pipes between the host and a template. No code of a run can reach them. */
export class TemplateMessages {
  /** Resolves when the template can fork. */
  readonly ready: Promise<void>;

  private readonly forks = new Map<number, ForkEvents>();
  private reportReady: () => void = () => undefined;
  private rest = '';
  private lastRun = 0;
  private turn: Promise<void> = Promise.resolve();
  private isOver = false;

  constructor(
    private readonly requests: Writable,
    events: Readable,
    settings: object,
  ) {
    this.ready = new Promise((resolve) => {
      this.reportReady = resolve;
    });
    events.on('data', (chunk: Buffer) => {
      this.take(chunk.toString('latin1'));
    });
    this.send(settings);
  }

  /** How many of the forks are not gone. */
  get active(): number {
    return this.forks.size;
  }

  /** Requests a fork once its streams are connected: the template accepts streams in the order of the requests. */
  fork(connected: Promise<unknown>, request: Omit<ForkRequest, 'run'>, events: ForkEvents): Promise<void> {
    const run = ++this.lastRun;
    this.forks.set(run, events);
    if (this.isOver) this.end();
    // After a failure no turn comes, and none waits for this.
    connected.catch(() => undefined);
    this.turn = this.turn.then(async () => {
      await connected;
      this.send({ run, ...request } satisfies ForkRequest);
    });
    return this.turn;
  }

  /** Reports the end of all forks, which die with their template. */
  end(): void {
    this.isOver = true;
    const left = [...this.forks.values()];
    this.forks.clear();
    for (const { ended, gone } of left) {
      ended(null);
      gone();
    }
  }

  private send(message: object): void {
    this.requests.write(`${JSON.stringify(message)}\n`);
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.follow(line.split(' '));
  }

  private follow([event = '', run = '', value = '']: string[]): void {
    if (event === 'ready') this.reportReady();
    const fork = this.forks.get(Number(run));
    if (event === 'forked') fork?.forked(Number(value));
    if (event === 'ended') fork?.ended(value === 'killed' ? null : Number(value));
    if (event === 'gone') {
      this.forks.delete(Number(run));
      fork?.gone();
    }
  }
}
