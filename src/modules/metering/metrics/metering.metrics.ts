import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { Meter } from '../meter.js';

const RECORDED = 'usage_recorded_total';

@Injectable()
export class MeteringMetrics {
  constructor(@InjectMetric(RECORDED) private readonly events: Counter) {}

  /** Counts events by their meters. */
  recorded(meters: readonly Meter[]): void {
    const counts = new Map<Meter, number>();
    for (const meter of meters) counts.set(meter, (counts.get(meter) ?? 0) + 1);
    for (const [meter, count] of counts) this.events.inc({ meter }, count);
  }
}

export const METERING_METRICS: Provider[] = [
  MeteringMetrics,
  makeCounterProvider({
    name: RECORDED,
    help: 'Usage events that this process recorded, by meter. Duplicates are not counted.',
    labelNames: ['meter'],
  }),
];
