import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';

const EXCHANGES = 'git_exchanges_total';
const RUNNING = 'git_exchanges_running';
const DURATION = 'git_exchange_duration_seconds';
const BRANCHES = 'git_branches_pushed_total';

/** `left`: the caller disconnected. `failed`: git failed or took too long. */
type Outcome = 'done' | 'left' | 'failed';

@Injectable()
export class RepositoriesMetrics {
  constructor(
    @InjectMetric(EXCHANGES) private readonly exchanges: Counter,
    @InjectMetric(RUNNING) private readonly running: Gauge,
    @InjectMetric(DURATION) private readonly duration: Histogram,
    @InjectMetric(BRANCHES) private readonly branches: Counter,
  ) {}

  /** Counts the start of an exchange. Call the returned function once, when it ends. */
  began(service: string): (outcome: Outcome) => void {
    const startedAt = performance.now();
    this.running.inc();
    return (outcome) => {
      this.running.dec();
      this.exchanges.inc({ service, outcome });
      this.duration.observe({ service }, (performance.now() - startedAt) / 1_000);
    };
  }

  pushed(branches: number): void {
    this.branches.inc(branches);
  }
}

export const REPOSITORIES_METRICS: Provider[] = [
  RepositoriesMetrics,
  makeCounterProvider({
    name: EXCHANGES,
    help: 'Git requests to repositories by outcome.',
    labelNames: ['service', 'outcome'],
  }),
  makeGaugeProvider({ name: RUNNING, help: 'Git requests that this process is serving.' }),
  makeHistogramProvider({
    name: DURATION,
    help: 'Duration of git requests.',
    labelNames: ['service'],
    buckets: [0.02, 0.05, 0.1, 0.25, 1, 5, 30, 120, 600, 1800],
  }),
  makeCounterProvider({ name: BRANCHES, help: 'Branches changed by pushes.' }),
];
