import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';

const CONNECTIONS = 'db_pool_connections';
const WAITING = 'db_pool_waiting';

/** Measures the pool whenever `/metrics` is read. */
@Injectable()
class DatabaseMetrics {
  constructor(
    dataSource: DataSource,
    @InjectMetric(CONNECTIONS) connections: Gauge,
    @InjectMetric(WAITING) waiting: Gauge,
  ) {
    // The pool is undefined once the process has begun to close.
    const pool = (): Pool | undefined => (dataSource.driver as unknown as { master?: Pool }).master;
    Object.assign(connections, {
      collect: () => {
        const { idleCount = 0, totalCount = 0 } = pool() ?? {};
        connections.set({ state: 'idle' }, idleCount);
        connections.set({ state: 'busy' }, totalCount - idleCount);
      },
    });
    Object.assign(waiting, {
      collect: () => {
        waiting.set(pool()?.waitingCount ?? 0);
      },
    });
  }
}

export const DATABASE_METRICS: Provider[] = [
  DatabaseMetrics,
  makeGaugeProvider({
    name: CONNECTIONS,
    help: 'Connections of the PostgreSQL pool, by state.',
    labelNames: ['state'],
  }),
  makeGaugeProvider({ name: WAITING, help: 'Callers waiting for a PostgreSQL connection.' }),
];
