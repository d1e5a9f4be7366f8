import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';

/** The result of one request of a batch, independent of the other requests. */
export type Outcome<Answer> = { readonly answer: Answer } | { readonly refusal: Error };

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane<Request, Answer> {
  waiting: Waiting<Request, Answer>[];
  writers: number;
}

interface WriterSettings<Request, Answer> {
  /** Requests with the same key share a lane. */
  readonly keyOf: (request: Request) => string;
  readonly lanes: number;
  /** The most batches of a lane that run at once. Each needs a database connection. */
  readonly writersOfLane: number;
  readonly maxBatch: number;
  /** Answers a batch in order, as a whole or not at all. */
  readonly write: (requests: readonly Request[]) => Promise<readonly Outcome<Answer>[]>;
}

/**
 * Writes for many callers at once: requests that arrive while a batch runs go into the next one. All requests with one
 * key share a lane. When a whole batch is waiting, a second one starts beside the first, so that this process
 * prepares it while the database works; it then waits for the locks of the first.
 */
export class GatheringWriter<Request, Answer> {
  private readonly lanes: readonly Lane<Request, Answer>[];
  /** A batch belongs to many callers, and joins neither the transaction nor the log lines of the first of them. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly settings: WriterSettings<Request, Answer>) {
    this.lanes = Array.from({ length: settings.lanes }, () => ({ waiting: [], writers: 0 }));
  }

  write(request: Request): Promise<Answer> {
    const lane = this.lanes[laneOf(this.settings.keyOf(request), this.lanes.length)]!;
    return new Promise((resolve, reject) => {
      lane.waiting.push({ request, resolve, reject });
      const { writersOfLane, maxBatch } = this.settings;
      if (lane.writers === 0 || (lane.writers < writersOfLane && lane.waiting.length >= maxBatch * lane.writers))
        void this.outside(() => this.work(lane));
    });
  }

  private async work(lane: Lane<Request, Answer>): Promise<void> {
    lane.writers++;
    // Requests of the same turn of the event loop join the batch.
    await new Promise(setImmediate);
    while (lane.waiting.length > 0) await this.writeBatch(lane.waiting.splice(0, this.settings.maxBatch));
    lane.writers--;
  }

  /** Never throws. A failed batch is written request by request, so that only the request at fault fails. */
  private async writeBatch(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const outcomes = await this.settings.write(batch.map(({ request }) => request));
      batch.forEach((waiting, index) => {
        settle(waiting, outcomes[index]!);
      });
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const each of batch) await this.writeBatch([each]);
    }
  }
}

function settle<Request, Answer>({ resolve, reject }: Waiting<Request, Answer>, outcome: Outcome<Answer>): void {
  if ('answer' in outcome) resolve(outcome.answer);
  else reject(outcome.refusal);
}

function laneOf(key: string, lanes: number): number {
  return createHash('md5').update(key).digest()[0]! % lanes;
}
