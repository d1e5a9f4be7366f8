import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { TokenKind } from '../../metering/meter.js';
import type { GenerationOutcome } from '../domain/generation-state.js';
import type { TokenUsage } from '../domain/token-usage.js';
import type { Protocol } from '../routers/model-router.js';

const GENERATIONS = 'ai_generations_total';
const LOST = 'ai_generations_lost_total';
const FIRST_BYTE = 'ai_first_byte_seconds';
const TOKENS = 'ai_tokens_total';
const REVENUE = 'ai_revenue_usd_total';
const UPSTREAM_COST = 'ai_upstream_cost_usd_total';
const ESTIMATE = 'ai_estimate_ratio';
const DRAINS = 'ai_drains';

const NANO = 1e9;

@Injectable()
export class AiMetrics {
  constructor(
    @InjectMetric(GENERATIONS) private readonly generations: Counter,
    @InjectMetric(FIRST_BYTE) private readonly firstByte: Histogram,
    @InjectMetric(TOKENS) private readonly tokens: Counter,
    @InjectMetric(REVENUE) private readonly revenue: Counter,
    @InjectMetric(UPSTREAM_COST) private readonly upstreamCost: Counter,
    @InjectMetric(ESTIMATE) private readonly estimates: Histogram,
    @InjectMetric(DRAINS) private readonly drains: Gauge,
  ) {}

  refused(protocol: Protocol): void {
    this.generations.inc({ protocol, outcome: 'refused' });
  }

  began({ oursMs, upstreamMs }: { readonly oursMs: number; readonly upstreamMs: number }): void {
    this.firstByte.observe({ part: 'ours' }, oursMs / 1000);
    this.firstByte.observe({ part: 'upstream' }, upstreamMs / 1000);
  }

  ended(protocol: Protocol, outcome: GenerationOutcome): void {
    this.generations.inc({ protocol, outcome });
  }

  charged(tokens: TokenUsage, costNano: bigint, upstreamNano: bigint | null): void {
    for (const [kind, count] of Object.entries(tokens) as [TokenKind, number][]) this.tokens.inc({ kind }, count);
    this.revenue.inc(Number(costNano) / NANO);
    if (upstreamNano !== null) this.upstreamCost.inc(Number(upstreamNano) / NANO);
  }

  estimated(ratio: number): void {
    this.estimates.observe(ratio);
  }

  draining(count: number): void {
    this.drains.set(count);
  }
}

@Injectable()
export class LostGenerationsCounter {
  constructor(@InjectMetric(LOST) private readonly lost: Counter) {}

  count(): void {
    this.lost.inc();
  }
}

export const AI_METRICS: Provider[] = [
  AiMetrics,
  LostGenerationsCounter,
  makeCounterProvider({
    name: GENERATIONS,
    help: 'Calls of models by protocol and outcome; refused ones generated nothing.',
    labelNames: ['protocol', 'outcome'],
  }),
  makeCounterProvider({
    name: LOST,
    help: 'Generations whose process was lost, and of whose usage nothing could be learned. They are not charged.',
  }),
  makeHistogramProvider({
    name: FIRST_BYTE,
    help: 'Time to the first byte of an answer: the part of this service, and that of the router.',
    labelNames: ['part'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
  }),
  makeCounterProvider({ name: TOKENS, help: 'Tokens that were charged, by kind.', labelNames: ['kind'] }),
  makeCounterProvider({ name: REVENUE, help: 'What callers were charged for tokens, in US dollars.' }),
  makeCounterProvider({
    name: UPSTREAM_COST,
    help: 'What routers charge for the same tokens, in US dollars, by the prices that they list.',
  }),
  makeHistogramProvider({
    name: ESTIMATE,
    help: 'The estimate of the input of a call divided by what the router counted. Below 1 it was too low.',
    buckets: [0.5, 0.75, 0.9, 1, 1.25, 1.5, 2, 3, 5, 10],
  }),
  makeGaugeProvider({
    name: DRAINS,
    help: 'Answers that this process reads to their end although their callers left, to charge what was generated.',
  }),
];
