import { createDataSource } from './data-source.js';

/** Any number that nothing else in this database locks with. */
const LOCK_KEY = 7_316_254;

/**
 * Brings the database to the state that this build expects, or that `only` these migrations make, and returns the names
 * of what it ran. Several processes may start at once: an advisory lock lets one of them migrate while the others wait.
 *
 * @throws {Error} when a migration fails; it has then been rolled back, and those before it stand.
 */
export async function migrate(url: string, only?: readonly string[]): Promise<string[]> {
  // One connection holds the lock, the other migrates; a migration may take as long as it needs.
  const dataSource = createDataSource({
    url,
    poolSize: 2,
    statementTimeoutMs: 0,
    connectTimeoutMs: 10_000,
    ...(only === undefined ? {} : { migrations: only }),
  });
  await dataSource.initialize();
  try {
    const lock = dataSource.createQueryRunner();
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    await lock.release();
    return ran.map(({ name }) => name);
  } finally {
    // Ends the session that holds the lock, and with it the lock.
    await dataSource.destroy();
  }
}
