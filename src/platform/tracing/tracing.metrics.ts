import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';

const SPANS = 'tracing_spans_total';

/** What became of recorded spans. `dropped` ones found the buffer full. */
export type SpanOutcome = 'exported' | 'failed' | 'dropped';

@Injectable()
export class TracingMetrics {
  constructor(@InjectMetric(SPANS) private readonly spans: Counter) {}

  ended(outcome: SpanOutcome, count: number): void {
    this.spans.inc({ outcome }, count);
  }
}

export const TRACING_METRICS: Provider[] = [
  TracingMetrics,
  makeCounterProvider({
    name: SPANS,
    help: 'Spans recorded, by whether the collector has them: exported, failed or dropped.',
    labelNames: ['outcome'],
  }),
];
