import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';

const AHEAD = 'partition_months_ahead';
const REST = 'partition_default_rows';

@Injectable()
export class PartitionsMetrics {
  constructor(
    @InjectMetric(AHEAD) private readonly ahead: Gauge,
    @InjectMetric(REST) private readonly rest: Gauge,
  ) {}

  found(table: string, { monthsAhead, restRows }: { monthsAhead: number; restRows: number }): void {
    this.ahead.set({ table }, monthsAhead);
    this.rest.set({ table }, restRows);
  }
}

export const PARTITIONS_METRICS: Provider[] = [
  PartitionsMetrics,
  makeGaugeProvider({
    name: AHEAD,
    help: 'How many of the next two months have a partition, by table, as this process saw last. -1: not this month.',
    labelNames: ['table'],
  }),
  makeGaugeProvider({
    name: REST,
    help: 'Rows that no partition of a month took, by table, as last seen by this process. It counts up to 1,000.',
    labelNames: ['table'],
  }),
];
