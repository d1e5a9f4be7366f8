import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, MigrationInterface } from 'typeorm';
import { connect } from '../platform/database/connect.js';
import type { Log } from '../platform/logging/log.js';
import { createDataSource } from './data-source.js';

/** The key of the advisory lock. No other lock in this database uses the number. */
const LOCK_KEY = 7_316_254;

/**
 * What waits for a table that a migration waits for waits no longer. Then the migration lets it pass, and tries again.
 * PostgreSQL looks for deadlocks after a second, and ends the transaction that looks first. So the migration gives up
 * before that, and no request is ended in its place.
 */
const LOCK_TIMEOUT_MS = 500;
/** PostgreSQL ends an autovacuum for a statement that waits for a second. So one attempt of ten does. */
const AUTOVACUUM_TIMEOUT_MS = 1_500;
/** The first pause between two attempts, by which each later one is longer, up to the longest. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The first attempt that fails is reported, and then each tenth one. */
const REPORT_EACH = 10;
/** A backup reads all tables for as long as it takes. The deadline of the chart is longer (`test/helm`). */
export const TRY_FOR_MS = 3_600_000;
/** PostgreSQL reports that a lock was not had in time, or that two transactions wait for each other. */
const CODES_OF_LOCKS = ['55P03', '40P01'];

/** Takes a line when migrations have to wait. */
type Reports = Pick<Log, 'warn'>;

/**
 * Runs the pending migrations, or those of them in `only`, and returns their names. Several processes may start at
 * once: an advisory lock lets one of them migrate while the others wait.
 *
 * Processes may work on the database meanwhile. A migration that needs a table for itself waits for it only briefly,
 * because all that comes after it waits as well, and is tried again for as long as an hour, with pauses that grow. The
 * log says which one waits.
 *
 * @throws {Error} when a migration fails; it is rolled back, and the ones before it stay applied.
 */
export async function migrate(url: string, only?: readonly string[], log?: Reports): Promise<string[]> {
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
    const ran = await runAll(dataSource, log);
    await lock.release();
    return ran;
  } finally {
    // The lock ends with its session.
    await dataSource.destroy();
  }
}

async function runAll(dataSource: DataSource, log: Reports | undefined): Promise<string[]> {
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
      if (attempt % REPORT_EACH === 1) await reportWait(dataSource, attempt, log);
      await sleep(Math.min(LONGEST_PAUSE_MS, PAUSE_MS * attempt));
    }
  }
  // An attempt that fails does not tell which migrations it had run by then.
  return (await executedIn(dataSource)).filter((name) => !before.includes(name));
}

async function reportWait(dataSource: DataSource, attempt: number, log: Reports | undefined): Promise<void> {
  const executed = await executedIn(dataSource);
  const migration = dataSource.migrations.map(nameOf).find((name) => !executed.includes(name));
  log?.warn(
    { migration, attempt },
    'A migration waits for a table that another transaction uses, such as a backup. It is tried again.',
  );
}

const nameOf = ({ name, constructor }: MigrationInterface): string => name ?? constructor.name;

async function executedIn(dataSource: DataSource): Promise<string[]> {
  const [{ exists }] = await dataSource.query<[{ exists: boolean }]>(
    "SELECT to_regclass('migrations') IS NOT NULL AS exists",
  );
  if (!exists) return [];
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}
