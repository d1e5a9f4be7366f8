import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/roles/data-source.js';
import { migrate } from '../../src/roles/migrate.js';
import { eventually } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** What PostgreSQL knows of our tables, in an order of its own. */
const SCHEMA = `
  SELECT table_name AS part, column_name AS name,
    data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') AS is
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  ORDER BY 1, 2, 3`;

const ALTERS_A_TABLE = 'SandboxSessionsOfRuns1795299070010';

describe('the migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource({ url: database.url }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  async function lastRun(): Promise<string> {
    const [{ name }] = await dataSource.query<[{ name: string }]>(
      'SELECT name FROM migrations ORDER BY id DESC LIMIT 1',
    );
    return name;
  }

  async function undoAll(): Promise<void> {
    for (let left = dataSource.migrations.length; left > 0; left--)
      await dataSource.undoLastMigration({ transaction: 'each' });
  }

  it('make what the entities describe', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query).filter((query) => !/CONSTRAINT|COMMENT|INDEX/.test(query))).toEqual([]);
  });

  it('can be undone to nothing and done again to the same', async () => {
    const before: unknown = await dataSource.query(SCHEMA);
    await undoAll();
    expect(
      await dataSource.query(
        `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
      ),
    ).toEqual([]);
    await migrate(database.url);
    expect(await dataSource.query(SCHEMA)).toEqual(before);
  });

  it('are run once when several processes start at the same time', async () => {
    await undoAll();
    const ran = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
    expect(ran.flat().sort()).toEqual(dataSource.migrations.map(({ constructor }) => constructor.name).sort());
  });

  it('let others pass while they wait for a table, and run once they get it', async () => {
    const [reader, other] = [new Client({ connectionString: database.url }), new Client(database.url)];
    await Promise.all([reader.connect(), other.connect()]);
    try {
      const known = dataSource.migrations.map(({ constructor }) => constructor.name);
      while ((await lastRun()) !== ALTERS_A_TABLE) await dataSource.undoLastMigration({ transaction: 'each' });
      await dataSource.undoLastMigration({ transaction: 'each' });
      const left = known.slice(known.indexOf(ALTERS_A_TABLE));

      // A backup does the same, until its end.
      await reader.query('BEGIN');
      await reader.query('SELECT count(*) FROM sandbox_sessions');
      const reports: object[] = [];
      const migrating = migrate(database.url, undefined, { warn: (fields) => reports.push(fields) });
      await eventually(async () => {
        const { rowCount } = await other.query(
          `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'sandbox_sessions'::regclass`,
        );
        return rowCount === 1;
      }, 'the migration waits for the table');
      await other.query("SET statement_timeout = '20s'");
      await other.query('SELECT count(*) FROM sandbox_sessions');

      await reader.query('COMMIT');
      expect(await migrating).toEqual(left);
      expect(reports[0]).toEqual({ migration: ALTERS_A_TABLE, attempt: 1 });
    } finally {
      await Promise.all([reader.end(), other.end()]);
    }
  });

  it('have times that rise, so that their order is the one they were written in', () => {
    const times = dataSource.migrations.map(({ constructor }) => Number(/\d{13}$/.exec(constructor.name)?.[0]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((time) => time > 0)).toBe(true);
  });
});
