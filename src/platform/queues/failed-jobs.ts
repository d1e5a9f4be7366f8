import { Injectable } from '@nestjs/common';
import { Log } from '../logging/log.js';
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

/** Jobs are kept for a month after they failed. Those that a caller waits for are not kept. */
@Injectable()
export class FailedJobs {
  constructor(
    private readonly queues: Queues,
    private readonly log: Log,
  ) {}

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

  /**
   * Puts a failed job into its queue again, with all its attempts.
   * @returns false when the queue has no such job, or the job has not failed.
   */
  async retry(queueName: string, jobId: string): Promise<boolean> {
    const queue = this.queues.all().find(({ name }) => name === queueName);
    const job = await queue?.getJob(jobId);
    if (job === undefined || !(await job.isFailed())) return false;
    try {
      await job.retry('failed', { resetAttemptsMade: true });
    } catch (error) {
      // Another call has retried it in the meantime.
      if (!(await job.isFailed())) return false;
      throw error;
    }
    this.log.info({ queue: queueName, jobId }, 'An operator retried a failed job.');
    return true;
  }
}
