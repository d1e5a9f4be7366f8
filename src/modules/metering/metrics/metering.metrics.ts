import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { Meter } from '../meter.js';

const RECORDED = 'usage_recorded_total';

@Injectable()
export class MeteringMetrics {
  constructor(@InjectMetric(RECORDED) private readonly events: Counter) {}

  /** The meter of each event. */
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
    help: 'Events of usage that this process has recorded, by meter; those recorded before are not counted again.',
    labelNames: ['meter'],
  }),
];
