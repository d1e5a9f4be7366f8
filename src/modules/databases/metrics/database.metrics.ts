import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Log } from '../../../platform/logging/log.js';
import { readOnScrape } from '../../../platform/metrics/read-on-scrape.js';
import { DatabaseOperationsStore } from '../persistence/database-operations.store.js';
import { READ_ONLY_CAUSES } from '../persistence/database-rows.js';
import { DatabaseSizesStore } from '../persistence/database-sizes.store.js';

const ACTIVE = 'database_operations_active';
const OLDEST = 'database_operations_oldest_seconds';
const READ_ONLY = 'databases_read_only';
const STORED = 'database_stored_bytes';
const LARGEST = 'database_backups_largest_bytes';

/** Gauges that are read from the database on each request for `/metrics`; the worker exports them. */
@Injectable()
class DatabaseGauges {
  constructor(
    operations: DatabaseOperationsStore,
    log: Log,
    @InjectMetric(ACTIVE) active: Gauge,
    @InjectMetric(OLDEST) oldest: Gauge,
  ) {
    const readOperations = async (): Promise<void> => {
      const { byKind, oldestSeconds } = await operations.active();
      active.reset();
      for (const { kind, count } of byKind) active.set({ kind }, count);
      oldest.set(oldestSeconds);
    };
    readOnScrape({ gauges: [active, oldest], read: readOperations, log });
  }
}

/** What all databases take, and which of them refuse writes; the worker exports them. */
@Injectable()
class DatabaseStorageGauges {
  constructor(
    sizes: DatabaseSizesStore,
    log: Log,
    @InjectMetric(READ_ONLY) readOnly: Gauge,
    @InjectMetric(STORED) stored: Gauge,
    @InjectMetric(LARGEST) largest: Gauge,
  ) {
    const readReadOnly = async (): Promise<void> => {
      const counts = new Map((await sizes.readOnly()).map(({ because, count }) => [because, count]));
      for (const because of READ_ONLY_CAUSES) readOnly.set({ because }, counts.get(because) ?? 0);
    };
    const readStored = async (): Promise<void> => {
      const { largestBackups, ...parts } = await sizes.totals();
      for (const [part, bytes] of Object.entries(parts)) stored.set({ part }, bytes);
      largest.set(largestBackups);
    };
    readOnScrape({ gauges: [readOnly], read: readReadOnly, log });
    readOnScrape({ gauges: [stored, largest], read: readStored, log });
  }
}

export const DATABASE_GAUGES: Provider[] = [
  DatabaseGauges,
  DatabaseStorageGauges,
  makeGaugeProvider({
    name: ACTIVE,
    help: 'Operations on project databases that have not ended, by kind.',
    labelNames: ['kind'],
  }),
  makeGaugeProvider({
    name: READ_ONLY,
    help: 'Project databases that refuse writes, by the reason.',
    labelNames: ['because'],
  }),
  makeGaugeProvider({
    name: STORED,
    help: 'Bytes of all project databases: their data, the disks of hosts, the log to be stored, and backups.',
    labelNames: ['part'],
  }),
  makeGaugeProvider({ name: LARGEST, help: 'Bytes of the backups and the log of the database that has most of them.' }),
  makeGaugeProvider({ name: OLDEST, help: 'Age of the operation on a project database that is active for longest.' }),
];
