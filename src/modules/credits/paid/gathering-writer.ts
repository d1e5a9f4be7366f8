import { createHash } from 'node:crypto';

/** What became of one request of a batch: others of the batch are none of its business. */
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
  readonly lanes: number;
  /** How many batches of a lane are under way at once, at most: as many connections does it need. */
  readonly writersOfLane: number;
  readonly maxBatch: number;
  /** Answers a batch in its order, as a whole or not at all. */
  readonly write: (requests: readonly Request[]) => Promise<readonly Outcome<Answer>[]>;
}

/**
 * Writes for many callers at once: whoever comes while a batch is under way goes into the next one. Everything of one
 * organization is in the same lane. A second batch of a lane begins beside the first where a whole one is waiting: what
 * it needs of this process is done while the database works for the first, whose locks it then waits for.
 */
export class GatheringWriter<Request extends { readonly orgId: string }, Answer> {
  private readonly lanes: readonly Lane<Request, Answer>[];

  constructor(private readonly settings: WriterSettings<Request, Answer>) {
    this.lanes = Array.from({ length: settings.lanes }, () => ({ waiting: [], writers: 0 }));
  }

  write(request: Request): Promise<Answer> {
    const lane = this.lanes[laneOf(request.orgId, this.lanes.length)]!;
    return new Promise((resolve, reject) => {
      lane.waiting.push({ request, resolve, reject });
      const { writersOfLane, maxBatch } = this.settings;
      if (lane.writers === 0 || (lane.writers < writersOfLane && lane.waiting.length >= maxBatch * lane.writers))
        void this.work(lane);
    });
  }

  private async work(lane: Lane<Request, Answer>): Promise<void> {
    lane.writers++;
    // Who comes in the same turn of the event loop goes along.
    await new Promise(setImmediate);
    while (lane.waiting.length > 0) await this.writeBatch(lane.waiting.splice(0, this.settings.maxBatch));
    lane.writers--;
  }

  /** Never throws. A batch that fails is written one by one, so that a request that cannot be written fails alone. */
  private async writeBatch(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const outcomes = await this.settings.write(batch.map(({ request }) => request));
      batch.forEach((waiting, index) => {
        tell(waiting, outcomes[index]!);
      });
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const each of batch) await this.writeBatch([each]);
    }
  }
}

function tell<Request, Answer>({ resolve, reject }: Waiting<Request, Answer>, outcome: Outcome<Answer>): void {
  if ('answer' in outcome) resolve(outcome.answer);
  else reject(outcome.refusal);
}

function laneOf(orgId: string, lanes: number): number {
  return createHash('md5').update(orgId).digest()[0]! % lanes;
}
