import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { Meter } from './meter.js';

const RECORDED = 'usage_recorded_total';

@Injectable()
export class MeteringMetrics {
  constructor(@InjectMetric(RECORDED) private readonly events: Counter) {}

  recorded(meter: Meter): void {
    this.events.inc({ meter });
  }
}

export const METERING_METRICS: Provider[] = [
  MeteringMetrics,
  makeCounterProvider({ name: RECORDED, help: 'Events of usage that this process has recorded, by meter; those recorded before are not counted again.', labelNames: ['meter'] }),
];
