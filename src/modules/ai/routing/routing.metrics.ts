import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';

const ATTEMPTS = 'ai_router_attempts_total';
const REFUSALS = 'ai_router_account_refusals_total';
const FALLBACKS = 'ai_fallbacks_total';
const BREAKERS = 'ai_breaker_open';

@Injectable()
export class RoutingMetrics {
  constructor(
    @InjectMetric(ATTEMPTS) private readonly attempts: Counter,
    @InjectMetric(REFUSALS) private readonly refusals: Counter,
    @InjectMetric(FALLBACKS) private readonly fallbacks: Counter,
    @InjectMetric(BREAKERS) private readonly breakers: Gauge,
  ) {}

  attempted(router: string, outcome: 'answered' | 'refused' | 'failed'): void {
    this.attempts.inc({ router, outcome });
  }

  accountRefused(router: string, status: number): void {
    this.refusals.inc({ router, status });
  }

  fellBack(): void {
    this.fallbacks.inc();
  }

  breakersOpen(count: number): void {
    this.breakers.set(count);
  }
}

export const ROUTING_METRICS: Provider[] = [
  RoutingMetrics,
  makeCounterProvider({
    name: ATTEMPTS,
    help: 'Attempts to call a model, by router and outcome. A request that is retried has several.',
    labelNames: ['router', 'outcome'],
  }),
  makeCounterProvider({
    name: REFUSALS,
    help: "Attempts that a router refused for the operator's account or key: 401, 402 or 403.",
    labelNames: ['router', 'status'],
  }),
  makeCounterProvider({ name: FALLBACKS, help: 'Requests that another model answered than the one asked first.' }),
  makeGaugeProvider({
    name: BREAKERS,
    help: 'Models that this process does not call for the moment, because half of the attempts failed.',
  }),
];
