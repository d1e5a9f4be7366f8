import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';

const FINALIZED = 'billing_invoices_finalized_total';
const REFUSED = 'billing_closings_refused_total';

@Injectable()
export class BillingMetrics {
  constructor(
    @InjectMetric(FINALIZED) private readonly invoices: Counter,
    @InjectMetric(REFUSED) private readonly refused: Counter,
  ) {
    // Starts the counters at 0, so that the first increase is visible.
    for (const reason of ['drift', 'failure']) refused.inc({ reason }, 0);
  }

  finalized(count: number): void {
    this.invoices.inc(count);
  }

  drifted(): void {
    this.refused.inc({ reason: 'drift' });
  }

  failed(): void {
    this.refused.inc({ reason: 'failure' });
  }
}

export const BILLING_METRICS: Provider[] = [
  BillingMetrics,
  makeCounterProvider({ name: FINALIZED, help: 'Invoices that were finalized.' }),
  makeCounterProvider({
    name: REFUSED,
    help: 'Failures to close a month of an organization, by reason: drift of its usage, or an error.',
    labelNames: ['reason'],
  }),
];
