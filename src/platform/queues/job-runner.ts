import { Injectable } from '@nestjs/common';
import { DelayedError, type Job } from 'bullmq';
import { type JobDefinition, type JobHandler, JobPostponed } from '../background/define-job.js';
import { Log } from '../logging/log.js';
import { RedisConnections } from '../redis/redis-connections.js';
import { Clock } from '../time/clock.js';
import type { SpanFacts } from '../tracing/live-span.js';
import { Tracing } from '../tracing/tracing.js';
import { RESULT_TTL_SECONDS, resultKeyOf } from './awaited-jobs.js';
import { JobAbandoned, JobCancellations } from './job-cancellations.js';
import { type JobEnvelope, openEnvelope } from './job-envelope.js';
import { JobTurns } from './job-turns.js';
import { JobMetrics } from './job.metrics.js';

/** A job that a worker of this process has taken, from its queue or because it was handed over. */
export interface TakenJob {
  readonly id: string;
  readonly envelope: JobEnvelope;
  readonly waitedMs: number;
  /** The first is 1. */
  readonly attempt: number;
  readonly isHandedOver: boolean;
}

/**
 * Runs one attempt of a job: in the context of the request that added it, counted, and with its result delivered to the
 * caller that waits for it.
 */
@Injectable()
export class JobRunner {
  constructor(
    private readonly redis: RedisConnections,
    private readonly cancellations: JobCancellations,
    private readonly turns: JobTurns,
    private readonly log: Log,
    private readonly tracing: Tracing,
    private readonly metrics: JobMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs a job from its queue.
   *
   * @throws what the handler throws, and `DelayedError` for a job that the handler postponed.
   */
  async run<Payload extends object, Result>(
    queue: JobDefinition<Payload>,
    handler: JobHandler<Payload, Result>,
    job: Job<JobEnvelope>,
  ): Promise<void> {
    const waitedMs = (job.processedOn ?? job.timestamp) - job.timestamp;
    if (job.priority > 0) void this.turns.began(queue, job.priority);
    const taken = { id: job.id!, envelope: job.data, waitedMs, attempt: job.attemptsMade + 1, isHandedOver: false };
    try {
      await this.perform(queue, handler, taken, (result) => this.keepResult(job, result));
    } catch (error) {
      if (error instanceof JobPostponed) await this.postpone(job, error);
      throw error;
    }
  }

  /** @throws what the handler throws, {@link JobPostponed} included. */
  async perform<Payload extends object, Result>(
    queue: JobDefinition<Payload>,
    handler: JobHandler<Payload, Result>,
    job: TakenJob,
    deliver: (result: Result) => Promise<void>,
  ): Promise<void> {
    this.metrics.started(queue.name, job.waitedMs);
    const { correlation } = job.envelope;
    const context = {
      requestId: correlation?.requestId ?? job.id,
      traceId: correlation?.traceId ?? '',
      ...correlation,
    };
    await this.tracing.resume(context, `process ${queue.name}`, spanOf(queue.name, job), async () => {
      let payload: Payload | undefined;
      try {
        const opened = (payload = await openEnvelope(queue, job.envelope));
        const result = await this.cancellations.during(job.id, (signal) =>
          handler.handle(opened, { signal, waitedMs: job.waitedMs, isHandedOver: job.isHandedOver }),
        );
        if (result !== undefined) await deliver(result);
        this.metrics.completed(queue.name);
      } catch (error) {
        // The caller disconnected, so an abandoned job is neither counted nor logged as a failure.
        if (error instanceof JobAbandoned) throw error;
        if (error instanceof JobPostponed) {
          this.log.debug({ queue: queue.name, jobId: job.id, error: error.cause }, 'A job could not begin.');
          throw error;
        }
        this.metrics.failed(queue.name);
        this.log.error(
          { ...correlation, queue: queue.name, jobId: job.id, attempt: job.attempt, error },
          'A job failed.',
        );
        // The handler cannot give up a payload that cannot be read; the job stays among the failed ones.
        if (payload !== undefined && job.attempt >= queue.attempts) await handler.giveUp?.(payload);
        throw error;
      }
    });
  }

  /** Aborts every job that runs in this process. */
  endAll(): void {
    this.cancellations.endAll();
  }

  /** A postponed job keeps its priority: when its delay is over, it runs before jobs that were added later. */
  private async postpone(job: Job<JobEnvelope>, { delayMs, changes }: JobPostponed): Promise<never> {
    await job.updateData({ ...job.data, payload: { ...job.data.payload, ...changes } });
    await job.moveToDelayed(this.clock.now().getTime() + delayMs, job.token);
    throw new DelayedError();
  }

  /** The result has a key of its own: BullMQ's event stream would keep it for a thousand events. */
  private async keepResult(job: Job, result: unknown): Promise<void> {
    await this.redis.producer().set(resultKeyOf(job.id!), JSON.stringify(result), 'EX', RESULT_TTL_SECONDS);
  }
}

const spanOf = (queue: string, { id, attempt, waitedMs }: TakenJob): SpanFacts => ({
  kind: 'consumer',
  attributes: {
    'messaging.system': 'bullmq',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'service_platform.job.attempt': attempt,
    'service_platform.job.waited_ms': waitedMs,
  },
  isFailure: (error) => !(error instanceof JobAbandoned || error instanceof JobPostponed),
});
