import { Injectable } from '@nestjs/common';
import { RequestContext } from '../logging/request-context.js';
import { JobCancellations } from './job-cancellations.js';
import { JobTurns, type Subject } from './job-turns.js';
import type { JobDefinition } from '../background/define-job.js';
import { Queues } from './queues.js';

export interface DirectJob<Payload extends object> {
  readonly jobId: string;
  readonly payload: Payload;
  /**
   * The subject that the job is for, in queues with fair turns. Without one, the jobs of a queue run in the order in
   * which they were added.
   */
  readonly subject?: Subject | undefined;
}

/**
 * Adds jobs to Redis directly and not through the outbox: for payloads that must not be in the database, or jobs that
 * cannot wait for a relay. Nothing is committed with such a job, and nothing of it is kept once it has ended.
 */
@Injectable()
export class DirectJobs {
  constructor(
    private readonly queues: Queues,
    private readonly cancellations: JobCancellations,
    private readonly turns: JobTurns,
    private readonly context: RequestContext,
  ) {}

  /** When this rejects, the job may have been added nevertheless. @throws {Error} when Redis is unavailable. */
  async add<Payload extends object>(
    queue: JobDefinition<Payload>,
    { jobId, payload, subject }: DirectJob<Payload>,
  ): Promise<void> {
    const turn = subject === undefined ? {} : { priority: (await this.turns.take(queue, subject)).round };
    await this.queues.confirmed(() =>
      this.queues
        .named(queue.name)
        .add(
          queue.name,
          { payload, correlation: this.context.current },
          { jobId, attempts: queue.attempts, removeOnComplete: true, removeOnFail: true, ...turn },
        ),
    );
    if (subject !== undefined) await this.turns.placed(queue, subject, jobId);
  }

  /** Ends the delay of the postponed jobs of a queue that are due first, up to this number. */
  async hurry({ name }: Pick<JobDefinition<object>, 'name'>, most: number): Promise<void> {
    // Another worker may have promoted one meanwhile, or its caller may have removed it.
    for (const job of await this.queues.named(name).getDelayed(0, most - 1)) await job.promote().catch(() => undefined);
  }

  /**
   * Removes a waiting job from the queue, and ends a running one on whichever worker has it. Never throws. Returns true
   * when the job had not begun.
   */
  async end(queue: Pick<JobDefinition<object>, 'name'>, jobId: string, subject?: Subject): Promise<boolean> {
    const removed = await this.remove(queue, jobId).catch(() => 0);
    if (removed === 0) await this.cancellations.cancel(jobId);
    else if (subject !== undefined) await this.turns.giveBack(queue, subject, jobId).catch(() => undefined);
    return removed !== 0;
  }

  /** BullMQ says of a job that it does not have, such as one that was handed over directly, that it removed it. */
  private async remove({ name }: Pick<JobDefinition<object>, 'name'>, jobId: string): Promise<number> {
    const bull = this.queues.named(name);
    return (await bull.getJob(jobId)) === undefined ? 0 : bull.remove(jobId);
  }
}
