import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { StorageRoom } from './storage-room.js';

const REFUSED = 'storage_writes_refused';

/** Reads the state when `/metrics` is read. */
@Injectable()
class StorageMetrics {
  constructor(room: StorageRoom, @InjectMetric(REFUSED) refused: Gauge) {
    Object.assign(refused, {
      collect: () => {
        refused.set(room.isLow ? 1 : 0);
      },
    });
  }
}

export const STORAGE_METRICS: Provider[] = [
  StorageMetrics,
  makeGaugeProvider({
    name: REFUSED,
    help: '1 while writes are refused because the disk of the data directory is nearly full.',
  }),
];
