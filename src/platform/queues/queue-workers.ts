import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DelayedError, type Job, Worker } from 'bullmq';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import { RequestContext } from '../logging/request-context.js';
import { RedisConnections } from '../redis/redis-connections.js';
import { Clock } from '../time/clock.js';
import { RESULT_TTL_SECONDS, resultKeyOf } from './awaited-jobs.js';
import { JobAbandoned, JobCancellations } from './job-cancellations.js';
import { type JobEnvelope, openEnvelope } from './job-envelope.js';
import { JobTurns } from './job-turns.js';
import { type JobHandler, JobPostponed, type JobDefinition } from '../background/define-job.js';
import { QueueMetrics } from './queue.metrics.js';
import { Queues } from './queues.js';

/** A worker that died is noticed by its lapsed lock; its job must then run again however often that happens. */
const MAX_STALLED_COUNT = 1_000;

/** What a worker gets to close in while Redis is away. */
const FORCED_CLOSE_MS = 200;

/** Runs the handlers of the queues in this process. */
@Injectable()
export class QueueWorkers {
  private readonly workers = new Map<string, Worker>();
  private readonly stopping = new Map<string, Promise<void>>();

  constructor(
    private readonly redis: RedisConnections,
    private readonly queues: Queues,
    private readonly cancellations: JobCancellations,
    private readonly turns: JobTurns,
    private readonly log: Log,
    private readonly context: RequestContext,
    private readonly metrics: QueueMetrics,
    private readonly shutdown: Shutdown,
    private readonly clock: Clock,
  ) {
    shutdown.at('workers', () => this.close());
  }

  /** Begins to take jobs from `queue`. A second start of the same queue does nothing. */
  start<Payload extends object, Result>(
    queue: JobDefinition<Payload>,
    handler: JobHandler<Payload, Result>,
    { concurrency = queue.concurrency } = {},
  ): void {
    if (this.workers.has(queue.name)) return;
    // So that the metrics of this process know the queue, even if it never adds a job to it.
    this.queues.named(queue.name);
    const worker = new Worker<JobEnvelope>(queue.name, (job) => this.process(queue, handler, job), {
      connection: this.redis.blocking(),
      concurrency,
      // A queue with one attempt must not run a job again whose worker died: its caller has been told that it failed.
      maxStalledCount: queue.attempts === 1 && queue.redelivers !== true ? 0 : MAX_STALLED_COUNT,
    });
    worker.on('error', (error) => {
      this.log.debug({ queue: queue.name, error }, 'worker');
    });
    worker.on('stalled', () => {
      this.metrics.stalled(queue.name);
    });
    this.workers.set(queue.name, worker);
  }

  /** Takes no further jobs from the queue and resolves when those that run have ended. May be called again. */
  stop(name: string): Promise<void> {
    const worker = this.workers.get(name);
    if (worker !== undefined) {
      this.workers.delete(name);
      this.stopping.set(name, this.end(worker));
    }
    return this.stopping.get(name) ?? Promise.resolve();
  }

  private async process<Payload extends object, Result>(
    queue: JobDefinition<Payload>,
    handler: JobHandler<Payload, Result>,
    job: Job<JobEnvelope>,
  ): Promise<void> {
    const waitedMs = (job.processedOn ?? job.timestamp) - job.timestamp;
    this.metrics.started(queue.name, waitedMs);
    if (job.priority > 0) void this.turns.began(queue, job.priority);
    const { correlation } = job.data;
    await this.context.run(
      { requestId: correlation?.requestId ?? job.id!, traceId: correlation?.traceId ?? '', ...correlation },
      async () => {
        let payload: Payload | undefined;
        try {
          const opened = (payload = await openEnvelope(queue, job.data));
          const result = await this.cancellations.during(job.id!, (signal) =>
            handler.handle(opened, { signal, waitedMs }),
          );
          if (result !== undefined) await this.keepResult(job, result);
          this.metrics.completed(queue.name);
        } catch (error) {
          // Nobody is left to be told, and nothing is wrong.
          if (error instanceof JobAbandoned) throw error;
          if (error instanceof JobPostponed) return this.postpone(queue, job, error);
          this.metrics.failed(queue.name);
          this.log.error(
            { ...correlation, queue: queue.name, jobId: job.id, attempt: job.attemptsMade + 1, error },
            'A job failed.',
          );
          // What cannot be read cannot be given up either; it stays among the failed jobs.
          if (payload !== undefined && job.attemptsMade + 1 >= queue.attempts) await handler.giveUp?.(payload);
          throw error;
        }
      },
    );
  }

  /** It keeps its turn: as soon as its delay is over it goes before those that came later. */
  private async postpone(
    queue: JobDefinition<object>,
    job: Job<JobEnvelope>,
    { delayMs, changes, cause }: JobPostponed,
  ): Promise<never> {
    this.log.debug({ queue: queue.name, jobId: job.id, error: cause }, 'A job could not begin.');
    await job.updateData({ ...job.data, payload: { ...job.data.payload, ...changes } });
    await job.moveToDelayed(this.clock.now().getTime() + delayMs, job.token);
    throw new DelayedError();
  }

  /** Beside the job and not in it: a result in BullMQ's event stream would stay there for a thousand events. */
  private async keepResult(job: Job, result: unknown): Promise<void> {
    await this.redis.producer().set(resultKeyOf(job.id!), JSON.stringify(result), 'EX', RESULT_TTL_SECONDS);
  }

  /** Jobs that outlast what the service gives them fail, so that whoever waits for them is told. */
  private async close(): Promise<void> {
    const overtime = setTimeout(() => {
      this.cancellations.endAll();
    }, this.shutdown.jobsLeftMs);
    await Promise.all([...this.workers.keys()].map((name) => this.stop(name)));
    clearTimeout(overtime);
  }

  /** A worker that cannot reach Redis would wait for it in order to say goodbye. */
  private async end(worker: Worker): Promise<void> {
    if (this.redis.isUp) await worker.close();
    else await Promise.race([worker.close(true), sleep(FORCED_CLOSE_MS)]);
  }
}
