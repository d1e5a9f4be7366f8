import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';
import { CRON_OUTCOMES, type CronOutcome } from '../persistence/cron-run.entity.js';

const FIRINGS = 'cron_firings_total';
const DELAY = 'cron_delay_seconds';

/** How a time of a cron passed. `error`: there was no answer, as the platform could not send the request. */
type Firing = Exclude<CronOutcome, 'running'> | 'error';

const FIRING_OUTCOMES: readonly Firing[] = [...CRON_OUTCOMES.filter((outcome) => outcome !== 'running'), 'error'];

@Injectable()
export class CronMetrics {
  constructor(
    @InjectMetric(FIRINGS) private readonly firings: Counter,
    @InjectMetric(DELAY) private readonly delays: Histogram,
  ) {
    // A series that appears with its first count shows no increase.
    for (const outcome of FIRING_OUTCOMES) firings.inc({ outcome }, 0);
  }

  count(outcome: Firing, times = 1): void {
    this.firings.inc({ outcome }, times);
  }

  began(delayMs: number): void {
    this.delays.observe(Math.max(0, delayMs) / 1_000);
  }
}

export const CRON_METRICS: Provider[] = [
  CronMetrics,
  makeCounterProvider({
    name: FIRINGS,
    help: 'Times of project crons that have passed, by outcome.',
    labelNames: ['outcome'],
  }),
  makeHistogramProvider({
    name: DELAY,
    help: 'Time from when a project cron was due until its request was sent.',
    buckets: [1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600],
  }),
];
