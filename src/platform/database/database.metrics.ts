import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';

const CONNECTIONS = 'db_pool_connections';
const WAITING = 'db_pool_waiting';

/** Reads the pool when `/metrics` is read. */
@Injectable()
class DatabaseMetrics {
  constructor(
    dataSource: DataSource,
    @InjectMetric(CONNECTIONS) connections: Gauge,
    @InjectMetric(WAITING) waiting: Gauge,
  ) {
    const pool = (): Pool => (dataSource.driver as unknown as { master: Pool }).master;
    Object.assign(connections, {
      collect: () => {
        connections.set({ state: 'idle' }, pool().idleCount);
        connections.set({ state: 'busy' }, pool().totalCount - pool().idleCount);
      },
    });
    Object.assign(waiting, { collect: () => { waiting.set(pool().waitingCount); } });
  }
}

export const DATABASE_METRICS: Provider[] = [
  DatabaseMetrics,
  makeGaugeProvider({ name: CONNECTIONS, help: 'Connections of the PostgreSQL pool, by state.', labelNames: ['state'] }),
  makeGaugeProvider({ name: WAITING, help: 'Callers that wait for a PostgreSQL connection.' }),
];
