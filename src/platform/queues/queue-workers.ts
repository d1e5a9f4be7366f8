import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Job, Worker } from 'bullmq';
import type { JobDefinition, JobHandler } from '../background/define-job.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import { RedisConnections } from '../redis/redis-connections.js';
import type { JobEnvelope } from './job-envelope.js';
import { JobPlaces } from './job-places.js';
import { JobRunner } from './job-runner.js';
import { JobMetrics } from './job.metrics.js';
import { LocalJobServer } from './local-job-server.js';
import { Queues } from './queues.js';

/** A dead worker is noticed when its lock expires. Its job must then run again, however often that happens. */
const MAX_STALLED_COUNT = 1_000;

/** How long a worker may take to close while Redis is unavailable. */
const FORCED_CLOSE_MS = 200;

/** Starts and stops the workers of this process, one for each queue that has a handler. */
@Injectable()
export class QueueWorkers {
  private readonly workers = new Map<string, Worker>();
  private readonly stopping = new Map<string, Promise<void>>();

  constructor(
    private readonly redis: RedisConnections,
    private readonly queues: Queues,
    private readonly runner: JobRunner,
    private readonly local: LocalJobServer,
    private readonly log: Log,
    private readonly metrics: JobMetrics,
    private readonly shutdown: Shutdown,
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
    // This registers the queue with the metrics of a process that may never add a job to it.
    this.queues.named(queue.name);
    const places = new JobPlaces(concurrency, ({ free, forQueue }) => {
      worker.concurrency = forQueue;
      if (queue.isHandedOver === true) this.local.announce(queue.name, free);
    });
    const run = (job: Job<JobEnvelope>): Promise<void> => places.hold(() => this.runner.run(queue, handler, job));
    const worker = new Worker<JobEnvelope>(queue.name, run, {
      connection: this.redis.blocking(),
      concurrency,
      // A queue with one attempt must not rerun the job of a dead worker: its caller was already sent the failure.
      maxStalledCount: queue.attempts === 1 && queue.redelivers !== true ? 0 : MAX_STALLED_COUNT,
    });
    worker.on('error', (error) => {
      this.log.debug({ queue: queue.name, error }, 'worker');
    });
    worker.on('stalled', () => {
      this.metrics.stalled(queue.name);
    });
    this.workers.set(queue.name, worker);
    if (queue.isHandedOver === true) this.local.serve(queue, handler, places);
  }

  /** Takes no further jobs from the queue and resolves when the running ones have ended. May be called again. */
  stop(name: string): Promise<void> {
    const worker = this.workers.get(name);
    if (worker !== undefined) {
      this.workers.delete(name);
      this.stopping.set(
        name,
        Promise.all([this.local.end(name), this.end(worker)]).then(() => undefined),
      );
    }
    return this.stopping.get(name) ?? Promise.resolve();
  }

  /** Jobs that outlast the shutdown's time for jobs are ended, so that their callers still receive a failure. */
  private async close(): Promise<void> {
    const overtime = setTimeout(() => {
      this.runner.endAll();
    }, this.shutdown.jobsLeftMs);
    await Promise.all([...this.workers.keys()].map((name) => this.stop(name)));
    clearTimeout(overtime);
  }

  /** A worker that cannot reach Redis would wait for it before it closes. */
  private async end(worker: Worker): Promise<void> {
    if (this.redis.isUp) await worker.close();
    else await Promise.race([worker.close(true), sleep(FORCED_CLOSE_MS)]);
  }
}
