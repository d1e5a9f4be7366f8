import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';

const DRIFT = 'usage_reconcile_drift';
const LAST = 'usage_reconcile_last_seconds';

@Injectable()
export class ReconciliationMetrics {
  constructor(
    @InjectMetric(DRIFT) private readonly drift: Gauge,
    @InjectMetric(LAST) private readonly last: Gauge,
  ) {}

  reconciled(drifted: number, at: Date): void {
    this.drift.set(drifted);
    this.last.set(at.getTime() / 1000);
  }
}

export const RECONCILIATION_METRICS: Provider[] = [
  ReconciliationMetrics,
  makeGaugeProvider({
    name: DRIFT,
    help:
      'Usage sums of this month and the last that differ from their events, as last seen by this process. 0 is ' +
      'right.',
  }),
  makeGaugeProvider({
    name: LAST,
    help: 'When this process last compared usage with its events, in Unix seconds. 0 if it never did.',
  }),
];
