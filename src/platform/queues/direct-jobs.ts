import { Injectable } from '@nestjs/common';
import { RequestContext } from '../logging/request-context.js';
import { JobCancellations } from './job-cancellations.js';
import type { QueueDefinition } from './queue-definition.js';
import { Queues } from './queues.js';

/**
 * Puts jobs into Redis at once and not through the outbox: for what must not lie in the database, or wait for a relay.
 * Nothing is committed with such a job, and nothing of it is kept once it has ended.
 */
@Injectable()
export class DirectJobs {
  constructor(
    private readonly queues: Queues,
    private readonly cancellations: JobCancellations,
    private readonly context: RequestContext,
  ) {}

  /** When this rejects, the job may be there all the same. @throws {Error} of Redis being away. */
  async add<Payload extends object>(queue: QueueDefinition<Payload>, jobId: string, payload: Payload): Promise<void> {
    await this.queues.named(queue.name).add(
      queue.name,
      { payload, correlation: this.context.current },
      { jobId, attempts: queue.attempts, removeOnComplete: true, removeOnFail: true },
    );
  }

  /**
   * A job that still waits is taken out of the queue; one that runs is told to end, on whatever worker it is. Never
   * throws. True when it had not begun.
   */
  async end(queue: Pick<QueueDefinition<object>, 'name'>, jobId: string): Promise<boolean> {
    const removed = await this.queues.named(queue.name).remove(jobId).catch(() => 0);
    if (removed === 0) await this.cancellations.cancel(jobId);
    return removed !== 0;
  }
}
