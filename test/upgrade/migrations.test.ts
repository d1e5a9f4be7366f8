import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/roles/data-source.js';
import { migrate } from '../../src/roles/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { findLongLocks } from './long-locks.js';
import { filesOf, findPreviousRelease } from './previous-release.js';

const { commit, missing } = findPreviousRelease();
if (missing !== undefined) console.warn(`LEFT OUT: ${missing}`);

describe('locks of migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  async function open(url: string): Promise<void> {
    dataSource = await createDataSource({ url, statementTimeoutMs: 0 }).initialize();
  }
  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  (commit === undefined ? it.skip : it)(
    'since the previous release are held for no longer when tables are large',
    async () => {
      const ofPrevious = new Set(filesOf(commit!, 'migrations').map((file) => file.slice(0, 13)));
      database = await createTestDatabase({ migrated: false });
      await open(database.url);
      const names = dataSource.migrations.map(({ constructor }) => constructor.name);
      await migrate(
        database.url,
        names.filter((name) => ofPrevious.has(name.slice(-13))),
      );
      const found = await findLongLocks(dataSource, () => dataSource.runMigrations({ transaction: 'each' }));
      expect(found).toEqual([]);
      expect(await dataSource.showMigrations()).toBe(false);
    },
  );

  it.each([
    ['an index', 'CREATE INDEX ON projects (org_id)', 'ShareLock on projects while all of projects is read'],
    [
      'a constraint that is verified',
      'ALTER TABLE projects ADD CHECK (length(id) < 100)',
      'AccessExclusiveLock on projects while all of projects is read',
    ],
    [
      'another type',
      'ALTER TABLE sandbox_executions ALTER COLUMN duration_ms TYPE numeric',
      'AccessExclusiveLock on sandbox_executions while all of sandbox_executions is read',
    ],
  ])('are noticed: %s', async (_what, statement, lock) => {
    database = await createTestDatabase();
    await open(database.url);
    expect(await findLongLocks(dataSource, () => inTransaction(statement))).toContain(lock);
    expect(await findLongLocks(dataSource, () => dataSource.query(statement))).toContain(lock);
  });

  it.each([
    ['a column', 'ALTER TABLE audit_log ADD COLUMN another text'],
    ['a column with a value', 'ALTER TABLE audit_log ADD COLUMN another int NOT NULL DEFAULT 0'],
    ['a constraint for new rows', 'ALTER TABLE audit_log ADD CHECK (length(id) < 100) NOT VALID'],
    ['a table', 'CREATE TABLE another (id text PRIMARY KEY, org text REFERENCES organizations (id))'],
    ['values for old rows', 'UPDATE projects SET name = name'],
  ])('are short for %s', async (_what, statement) => {
    database = await createTestDatabase();
    await open(database.url);
    expect(await findLongLocks(dataSource, () => inTransaction(statement))).toEqual([]);
  });

  /** Runs the statement in a transaction, as migrations do. */
  async function inTransaction(statement: string): Promise<void> {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(statement);
    await runner.commitTransaction();
    await runner.release();
  }
});
