import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';

const COMPLETED = 'queue_jobs_completed_total';
const FAILED = 'queue_jobs_failed_total';
const STALLED = 'queue_jobs_stalled_total';
const WAIT = 'queue_wait_seconds';

/** Counts what the workers of this process do. {@link QueueMetrics} measures the queues themselves. */
@Injectable()
export class JobMetrics {
  constructor(
    @InjectMetric(COMPLETED) private readonly completedJobs: Counter,
    @InjectMetric(FAILED) private readonly failedJobs: Counter,
    @InjectMetric(STALLED) private readonly stalledJobs: Counter,
    @InjectMetric(WAIT) private readonly wait: Histogram,
  ) {}

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
}

const labelNames = ['queue'];

export const JOB_METRICS: Provider[] = [
  JobMetrics,
  makeCounterProvider({ name: COMPLETED, help: 'Jobs completed by this process.', labelNames }),
  makeCounterProvider({ name: FAILED, help: 'Attempts that failed in this process.', labelNames }),
  makeCounterProvider({ name: STALLED, help: 'Jobs whose worker died while it ran them.', labelNames }),
  makeHistogramProvider({
    name: WAIT,
    help: 'Time from adding a job until a worker took it.',
    labelNames,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
  }),
];
