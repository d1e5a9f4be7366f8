import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { Hold } from '../purse/hold.js';

const HOLDS = 'credit_holds_total';
const REFUSALS = 'credit_refusals_total';
const LOSS = 'credits_platform_loss_usd_total';
const NANO = 1_000_000_000;

@Injectable()
export class CreditsMetrics {
  constructor(
    @InjectMetric(HOLDS) private readonly holds: Counter,
    @InjectMetric(REFUSALS) private readonly refusals: Counter,
    @InjectMetric(LOSS) private readonly loss: Counter,
  ) {}

  held(): void {
    this.holds.inc({ event: 'held' });
  }

  /** The counter of the loss is a float for dashboards; the ledger has the exact amount. */
  ended({ state, lostNano }: Hold): void {
    this.holds.inc({ event: state });
    if (lostNano !== null && lostNano > 0n) this.loss.inc(Number(lostNano) / NANO);
  }

  refused(by: 'budget' | 'credits' | 'spend_cap'): void {
    this.refusals.inc({ by });
  }
}

export const CREDITS_METRICS: Provider[] = [
  CreditsMetrics,
  makeCounterProvider({
    name: HOLDS,
    help: 'Holds that this process began or ended for paid work, by event.',
    labelNames: ['event'],
  }),
  makeCounterProvider({
    name: REFUSALS,
    help: 'Paid work refused with 402, by cause: budget, credits or spend cap.',
    labelNames: ['by'],
  }),
  makeCounterProvider({
    name: LOSS,
    help: 'Usage in USD that the platform bears, because it exceeded its hold. The ledger has the exact amount.',
  }),
];
