import { Injectable } from '@nestjs/common';
import { Queues } from './queues.js';

const OF_A_QUEUE = 20;
const MOST = 50;
/** Messages of errors may be as long as what a program printed. */
const LONGEST_REASON = 300;

/** A job that failed as often as it is tried. */
export interface FailedJob {
  readonly queue: string;
  readonly id: string;
  readonly reason: string;
  readonly attempts: number;
  readonly failedAt: Date;
}

/** Jobs are kept for a month after they failed. */
@Injectable()
export class FailedJobs {
  constructor(private readonly queues: Queues) {}

  /** Returns the latest of all queues that this process uses, latest first. */
  async list(): Promise<FailedJob[]> {
    const ofQueues = await Promise.all(
      this.queues.all().map(async (queue) =>
        (await queue.getFailed(0, OF_A_QUEUE - 1)).map((job) => ({
          queue: queue.name,
          id: job.id ?? '',
          reason: (job.failedReason as string | undefined)?.slice(0, LONGEST_REASON) ?? '',
          attempts: job.attemptsMade,
          failedAt: new Date(job.finishedOn ?? job.timestamp),
        })),
      ),
    );
    return ofQueues
      .flat()
      .sort((one, other) => other.failedAt.getTime() - one.failedAt.getTime())
      .slice(0, MOST);
  }
}
