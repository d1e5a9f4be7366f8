import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Clock } from '../time/clock.js';
import { QUEUE_STATES } from './queue-reading.js';
import { Queues } from './queues.js';

const JOBS = 'queue_jobs';
const OLDEST = 'queue_oldest_waiting_seconds';

/** Measures every queue that this process knows whenever `/metrics` is read. */
@Injectable()
class QueueMetrics {
  constructor(
    private readonly queues: Queues,
    private readonly clock: Clock,
    @InjectMetric(JOBS) private readonly jobs: Gauge,
    @InjectMetric(OLDEST) private readonly oldest: Gauge,
  ) {
    Object.assign(jobs, { collect: () => this.readQueues() });
  }

  /** While Redis is unavailable, the gauges keep their last values. */
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

export const QUEUE_METRICS: Provider[] = [
  QueueMetrics,
  makeGaugeProvider({ name: JOBS, help: 'Jobs in a queue, by state.', labelNames: ['queue', 'state'] }),
  makeGaugeProvider({ name: OLDEST, help: 'Age of the oldest waiting job.', labelNames: ['queue'] }),
];
