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

  /** The loss is for whoever watches; the ledger has it exactly. */
  ended({ state, lostNano }: Hold): void {
    this.holds.inc({ event: state });
    if (lostNano !== null && lostNano > 0n) this.loss.inc(Number(lostNano) / NANO);
  }

  refused(by: 'credits' | 'spend_cap'): void {
    this.refusals.inc({ by });
  }
}

export const CREDITS_METRICS: Provider[] = [
  CreditsMetrics,
  makeCounterProvider({
    name: HOLDS,
    help: 'Holds for paid work that began, and that ended, by how, as this process wrote them.',
    labelNames: ['event'],
  }),
  makeCounterProvider({
    name: REFUSALS,
    help: 'Paid work that was refused with 402, by what did not cover it.',
    labelNames: ['by'],
  }),
  makeCounterProvider({
    name: LOSS,
    help: 'Usage that nobody pays for, in USD: more was used than had been held, or its hold was over. The ledger has it exactly.',
  }),
];
