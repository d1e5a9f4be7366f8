import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';
import { FIRE_STATES, type FireState } from '../persistence/schedule-rows.js';

const FIRES = 'agent_schedule_fires_total';
const LAG = 'agent_schedule_lag_seconds';

@Injectable()
export class FireMetrics {
  constructor(
    @InjectMetric(FIRES) private readonly fires: Counter,
    @InjectMetric(LAG) private readonly lag: Histogram,
  ) {
    // A series that appears with its first count shows no increase.
    for (const outcome of FIRE_STATES) if (outcome !== 'due') fires.inc({ outcome }, 0);
  }

  /** A fire that waits for the end of a run is counted once that is over. */
  count(outcome: FireState): void {
    if (outcome !== 'due') this.fires.inc({ outcome });
  }

  late(now: Date, wakeAt: Date): void {
    this.lag.observe(Math.max(0, now.getTime() - wakeAt.getTime()) / 1_000);
  }
}

export const FIRE_METRICS: Provider[] = [
  FireMetrics,
  makeCounterProvider({
    name: FIRES,
    help: 'Times of agent schedules that have passed, by outcome.',
    labelNames: ['outcome'],
  }),
  makeHistogramProvider({
    name: LAG,
    help: 'Time from when an agent schedule was due, jitter included, until its run was created.',
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600],
  }),
];
