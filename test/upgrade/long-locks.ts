import type { DataSource, QueryRunner } from 'typeorm';

type IsolationLevel = Parameters<QueryRunner['startTransaction']>[0];

/**
 * The locks that keep others from writing, or from reading too, held by a transaction that reads a whole table, which
 * may be large by then: it builds an index, verifies a constraint, or writes the table again. PostgreSQL itself tells
 * both, so that no list of statements has to be kept.
 */
const LONG_LOCKS = `
  SELECT relation::regclass::text AS locked, mode, scans.relname AS read
  FROM pg_locks
    CROSS JOIN (SELECT relname FROM pg_stat_xact_user_tables WHERE seq_scan > 0 AND relid = ANY ($1)) AS scans
  WHERE pid = pg_backend_pid() AND relation = ANY ($1)
    AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  ORDER BY 1, 2, 3`;
const TABLES = `
  SELECT oid::int AS id FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`;
/** What refuses to run in a transaction holds no lock on what it works on. */
const IN_NO_TRANSACTION = /\b(CONCURRENTLY|VACUUM)\b/i;

interface LongLock {
  readonly locked: string;
  readonly mode: string;
  readonly read: string;
}

/** Runs work with a runner that looks for long locks at the end of each transaction, and returns what it has found. */
export async function findLongLocks(
  dataSource: DataSource,
  work: (dataSource: DataSource) => Promise<unknown>,
): Promise<string[]> {
  // A table that did not exist before has no rows, and no one waits for it.
  const tables = (await dataSource.query<{ id: number }[]>(TABLES)).map(({ id }) => id);
  const found = new Set<string>();
  const create = dataSource.createQueryRunner.bind(dataSource);
  const spy = jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = create(mode);
    watch(runner, tables, found);
    return runner;
  });
  try {
    await work(dataSource);
  } finally {
    spy.mockRestore();
  }
  return [...found];
}

function watch(runner: QueryRunner, tables: readonly number[], found: Set<string>): void {
  const start = runner.startTransaction.bind(runner);
  const commit = runner.commitTransaction.bind(runner);
  const query = runner.query.bind(runner) as (sql: string, values?: unknown[], more?: boolean) => Promise<unknown>;
  // PostgreSQL keeps the counts of a transaction that has ended for up to a second, as if they were of the next one.
  const startWatched = async (level?: IsolationLevel): Promise<void> => {
    if (!runner.isTransactionActive) await query('SELECT pg_stat_force_next_flush()');
    await start(level);
  };
  const commitWatched = async (): Promise<void> => {
    const locks = (await query(LONG_LOCKS, [tables])) as LongLock[];
    for (const { locked, mode, read } of locks) found.add(`${mode} on ${locked} while all of ${read} is read`);
    await commit();
  };
  const queryWatched = async (sql: string, values?: unknown[], more?: boolean): Promise<unknown> => {
    if (runner.isTransactionActive || IN_NO_TRANSACTION.test(sql)) return query(sql, values, more);
    // A statement by itself is a transaction, too. Unlike one of many rows, a table of a few has a plan without its
    // index.
    await startWatched();
    try {
      await query('SET LOCAL enable_seqscan = off');
      const answer = await query(sql, values, more);
      await commitWatched();
      return answer;
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  };
  Object.assign(runner, { startTransaction: startWatched, commitTransaction: commitWatched, query: queryWatched });
}
