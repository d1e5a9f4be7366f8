import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';
import { Log } from '../../../platform/logging/log.js';
import { readOnScrape } from '../../../platform/metrics/read-on-scrape.js';
import { DoomedBlobsStore } from '../persistence/doomed-blobs.store.js';
import { ReservationsStore } from '../persistence/reservations.store.js';

const DRIFT = 'object_usage_drift';
const FAULTS = 'object_blob_faults_total';
const DOOMED = 'object_blobs_doomed';
const RESERVATIONS = 'object_reservations';

const FAULT_KINDS = ['missing', 'changed', 'unnamed'] as const;
export type BlobFault = (typeof FAULT_KINDS)[number];

/** What the comparisons of rows and blobs find, and what waits to be removed. */
@Injectable()
export class ScrubMetrics {
  constructor(
    @InjectMetric(DRIFT) private readonly drift: Gauge,
    @InjectMetric(FAULTS) private readonly faults: Counter,
    @InjectMetric(DOOMED) doomed: Gauge,
    @InjectMetric(RESERVATIONS) reservations: Gauge,
    doomedBlobs: DoomedBlobsStore,
    reservationRows: ReservationsStore,
    log: Log,
  ) {
    for (const fault of FAULT_KINDS) faults.inc({ fault }, 0);
    const readDoomed = async (): Promise<void> => {
      doomed.set(await doomedBlobs.count());
    };
    const readReservations = async (): Promise<void> => {
      reservations.set(await reservationRows.count());
    };
    readOnScrape({ gauges: [doomed], read: readDoomed, log });
    readOnScrape({ gauges: [reservations], read: readReservations, log });
  }

  drifted(bytes: number): void {
    this.drift.set(bytes);
  }

  found(fault: BlobFault, count = 1): void {
    this.faults.inc({ fault }, count);
  }
}

export const SCRUB_METRICS: Provider[] = [
  ScrubMetrics,
  makeGaugeProvider({ name: DRIFT, help: 'Bytes by which what buckets count differs from what they have.' }),
  makeCounterProvider({
    name: FAULTS,
    help: 'Blobs of objects that were found missing or changed, or that nothing names, by fault.',
    labelNames: ['fault'],
  }),
  makeGaugeProvider({ name: DOOMED, help: 'Blobs of objects that wait to be deleted.' }),
  makeGaugeProvider({ name: RESERVATIONS, help: 'Writes of objects that have reserved storage.' }),
];
