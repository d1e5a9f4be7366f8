import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { Budget } from '../call-budget.service.js';

const REFUSALS = 'call_limit_refusals_total';
const UNCOUNTED = 'calls_counted_in_process_total';

/** Counts refused calls, and calls that were counted without Redis. */
@Injectable()
export class LimitsMetrics {
  constructor(
    @InjectMetric(REFUSALS) private readonly refusals: Counter,
    @InjectMetric(UNCOUNTED) private readonly inProcess: Counter,
  ) {}

  counted({ account, refusal, countedIn }: Budget): void {
    if (refusal !== undefined) this.refusals.inc({ tier: account.tier.name, code: refusal.code });
    if (countedIn === 'process') this.inProcess.inc();
  }
}

export const LIMITS_METRICS: Provider[] = [
  LimitsMetrics,
  makeCounterProvider({
    name: REFUSALS,
    help: 'Calls refused by the burst limit or the daily budget.',
    labelNames: ['tier', 'code'],
  }),
  makeCounterProvider({
    name: UNCOUNTED,
    help: 'Calls counted in this process because Redis was unavailable.',
  }),
];
