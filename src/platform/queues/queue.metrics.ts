import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Clock } from '../time/clock.js';
import { QUEUE_STATES } from './queue-reading.js';
import { Queues } from './queues.js';

const JOBS = 'queue_jobs';
const OLDEST = 'queue_oldest_waiting_seconds';
const COMPLETED = 'queue_jobs_completed_total';
const FAILED = 'queue_jobs_failed_total';
const STALLED = 'queue_jobs_stalled_total';
const WAIT = 'queue_wait_seconds';

@Injectable()
export class QueueMetrics {
  constructor(
    private readonly queues: Queues,
    private readonly clock: Clock,
    @InjectMetric(JOBS) private readonly jobs: Gauge,
    @InjectMetric(OLDEST) private readonly oldest: Gauge,
    @InjectMetric(COMPLETED) private readonly completedJobs: Counter,
    @InjectMetric(FAILED) private readonly failedJobs: Counter,
    @InjectMetric(STALLED) private readonly stalledJobs: Counter,
    @InjectMetric(WAIT) private readonly wait: Histogram,
  ) {
    Object.assign(jobs, { collect: () => this.readQueues() });
  }

  started(queue: string, waitedMs: number): void {
    this.wait.observe({ queue }, waitedMs / 1000);
  }

  completed(queue: string): void {
    this.completedJobs.inc({ queue });
  }

  failed(queue: string): void {
    this.failedJobs.inc({ queue });
  }

  stalled(queue: string): void {
    this.stalledJobs.inc({ queue });
  }

  /** Called when `/metrics` is read. While Redis is away the last figures stay. */
  private async readQueues(): Promise<void> {
    await Promise.allSettled(
      this.queues.all().map(async (queue) => {
        const { counts, oldestWaitingMs } = await this.queues.read(queue);
        for (const state of QUEUE_STATES) this.jobs.set({ queue: queue.name, state }, counts[state]);
        this.oldest.set(
          { queue: queue.name },
          oldestWaitingMs === null ? 0 : (this.clock.now().getTime() - oldestWaitingMs) / 1000,
        );
      }),
    );
  }
}

const labelNames = ['queue'];

export const QUEUE_METRICS: Provider[] = [
  QueueMetrics,
  makeGaugeProvider({ name: JOBS, help: 'Jobs in a queue, by state.', labelNames: ['queue', 'state'] }),
  makeGaugeProvider({ name: OLDEST, help: 'Age of the oldest job that waits.', labelNames }),
  makeCounterProvider({ name: COMPLETED, help: 'Jobs done by this process.', labelNames }),
  makeCounterProvider({ name: FAILED, help: 'Attempts that failed in this process.', labelNames }),
  makeCounterProvider({ name: STALLED, help: 'Jobs whose worker died while it ran them.', labelNames }),
  makeHistogramProvider({
    name: WAIT,
    help: 'Time from adding a job until a worker took it.',
    labelNames,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
  }),
];
