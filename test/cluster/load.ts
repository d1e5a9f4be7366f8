import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, isSuccess } from './caller.js';

const TICK_MS = 10;

export interface Sent {
  readonly what: string;
  readonly atMs: number;
  readonly answer: Answer;
}

/**
 * So many requests a second, whether or not earlier ones are answered, so that a stall is met by as many as arrive in
 * its time.
 */
export class Load {
  private readonly stopping = new AbortController();
  private readonly pending = new Set<Promise<void>>();
  private readonly running: Promise<void>;
  readonly sent: Sent[] = [];
  count = 0;

  constructor(
    private readonly perSecond: number,
    private readonly send: (index: number) => Promise<{ readonly what: string; readonly answer: Answer }>,
  ) {
    this.running = this.run();
  }

  /** Runs the work beside the load, and ends the load whatever becomes of the work. */
  async during(work: () => Promise<void>): Promise<readonly Sent[]> {
    try {
      await work();
    } finally {
      await this.stop();
    }
    return this.sent;
  }

  /** Resolves when all requests are answered. */
  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await Promise.all(this.pending);
  }

  private async run(): Promise<void> {
    const fromMs = performance.now();
    while (!this.stopping.signal.aborted) {
      const due = Math.floor(((performance.now() - fromMs) / 1_000) * this.perSecond);
      while (this.count < due) this.one(this.count++);
      await sleep(TICK_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private one(index: number): void {
    const atMs = performance.now();
    const request = this.send(index)
      .then(({ what, answer }) => {
        // What a success says is of no further use, and there are many.
        this.sent.push({ what, atMs, answer: isSuccess(answer) ? { ...answer, text: '' } : answer });
      })
      .finally(() => this.pending.delete(request));
    this.pending.add(request);
  }
}

/** Between two of these moments, at most. */
export function longestGapMs(momentsMs: readonly number[]): number {
  const inTurn = [...momentsMs].sort((one, other) => one - other);
  return Math.max(0, ...inTurn.slice(1).map((atMs, index) => atMs - inTurn[index]!));
}

/** From the first of them to the answer of the last; 0 without any. */
export function spanMs(sent: readonly Sent[]): number {
  if (sent.length === 0) return 0;
  return Math.max(...sent.map(({ atMs, answer }) => atMs + answer.tookMs)) - Math.min(...sent.map(({ atMs }) => atMs));
}
