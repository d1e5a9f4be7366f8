import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { connect } from '../platform/database/connect.js';
import { createDataSource } from './data-source.js';

/** The key of the advisory lock. No other lock in this database uses the number. */
const LOCK_KEY = 7_316_254;

/**
 * What waits for a table that a migration waits for waits no longer. Then the migration lets it pass, and tries again.
 * It is less than the second after which PostgreSQL looks for transactions that wait for each other: the migration
 * gives way, and no request is ended.
 */
const LOCK_TIMEOUT_MS = 500;
/** PostgreSQL ends an autovacuum for a statement that waits for a second. So one attempt of ten does. */
const AUTOVACUUM_TIMEOUT_MS = 1_500;
const PAUSE_MS = 1_000;
/** A backup reads all tables for as long as it takes. */
const TRY_FOR_MS = 3_600_000;
/** PostgreSQL reports that a lock was not had in time, or that two transactions wait for each other. */
const CODES_OF_LOCKS = ['55P03', '40P01'];

/**
 * Runs the pending migrations, or those of them in `only`, and returns their names. Several processes may start at
 * once: an advisory lock lets one of them migrate while the others wait.
 *
 * Processes may work on the database meanwhile. A migration that needs a table for itself waits for it only briefly,
 * because all that comes after it waits as well, and is tried again for as long as an hour.
 *
 * @throws {Error} when a migration fails; it is rolled back, and the ones before it stay applied.
 */
export async function migrate(url: string, only?: readonly string[]): Promise<string[]> {
  // One connection holds the lock, and another one migrates without a time limit.
  const dataSource = createDataSource({
    url,
    poolSize: 2,
    statementTimeoutMs: 0,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    ...(only === undefined ? {} : { migrations: only }),
  });
  await connect(dataSource);
  try {
    const lock = dataSource.createQueryRunner();
    await lock.query('SET lock_timeout = 0');
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    const ran = await runAll(dataSource);
    await lock.release();
    return ran;
  } finally {
    // The lock ends with its session.
    await dataSource.destroy();
  }
}

async function runAll(dataSource: DataSource): Promise<string[]> {
  const giveUpAtMs = performance.now() + TRY_FOR_MS;
  const before = await executedIn(dataSource);
  for (let attempt = 1; ; attempt++) {
    try {
      // The other connection is that of the advisory lock.
      await dataSource.query(`SET lock_timeout = ${attempt % 10 === 0 ? AUTOVACUUM_TIMEOUT_MS : LOCK_TIMEOUT_MS}`);
      await dataSource.runMigrations({ transaction: 'each' });
      break;
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code === undefined || !CODES_OF_LOCKS.includes(code) || performance.now() > giveUpAtMs) throw error;
      await sleep(PAUSE_MS);
    }
  }
  // An attempt that fails does not tell which migrations it had run by then.
  return (await executedIn(dataSource)).filter((name) => !before.includes(name));
}

async function executedIn(dataSource: DataSource): Promise<string[]> {
  const [{ exists }] = await dataSource.query<[{ exists: boolean }]>(
    "SELECT to_regclass('migrations') IS NOT NULL AS exists",
  );
  if (!exists) return [];
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}
