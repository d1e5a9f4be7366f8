import { connect } from '../platform/database/connect.js';
import { createDataSource } from './data-source.js';

/** The key of the advisory lock. No other lock in this database uses the number. */
const LOCK_KEY = 7_316_254;

/**
 * Runs the pending migrations, or those of them in `only`, and returns their names. Several processes may start at
 * once: an advisory lock lets one of them migrate while the others wait.
 *
 * @throws {Error} when a migration fails; it is rolled back, and the ones before it stay applied.
 */
export async function migrate(url: string, only?: readonly string[]): Promise<string[]> {
  // One connection holds the lock, and another one migrates without a time limit.
  const dataSource = createDataSource({
    url,
    poolSize: 2,
    statementTimeoutMs: 0,
    ...(only === undefined ? {} : { migrations: only }),
  });
  await connect(dataSource);
  try {
    const lock = dataSource.createQueryRunner();
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    await lock.release();
    return ran.map(({ name }) => name);
  } finally {
    // The lock ends with its session.
    await dataSource.destroy();
  }
}
