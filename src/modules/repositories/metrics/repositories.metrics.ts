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

/** `left`: the caller went away. `failed`: git did, or took too long. */
type Outcome = 'done' | 'left' | 'failed';

@Injectable()
export class RepositoriesMetrics {
  constructor(
    @InjectMetric(EXCHANGES) private readonly exchanges: Counter,
    @InjectMetric(RUNNING) private readonly running: Gauge,
    @InjectMetric(DURATION) private readonly duration: Histogram,
    @InjectMetric(BRANCHES) private readonly branches: Counter,
  ) {}

  /** An exchange with git begins; the answer is to be called once, when it is over. */
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
    help: 'Requests of git that a repository answered, by what became of them.',
    labelNames: ['service', 'outcome'],
  }),
  makeGaugeProvider({ name: RUNNING, help: 'Requests of git that this process is answering.' }),
  makeHistogramProvider({
    name: DURATION,
    help: 'From the start of an answer to git until its end.',
    labelNames: ['service'],
    buckets: [0.02, 0.05, 0.1, 0.25, 1, 5, 30, 120, 600, 1800],
  }),
  makeCounterProvider({ name: BRANCHES, help: 'Branches that pushes have changed.' }),
];
