import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { AUDIT_ENTRY_ID } from '../../src/modules/audit/audit.ids.js';
import { RUN_ID } from '../../src/modules/runs/runs.ids.js';
import { monthFrom } from '../../src/platform/partitions/calendar-month.js';
import { firstIdOf } from '../../src/platform/partitions/partitioned-table.js';
import { createDataSource, knownMigrations } from '../../src/roles/data-source.js';
import { migrate } from '../../src/roles/migrate.js';
import { onThisMachine } from '../support/patience.js';
import { eventually } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const PARTITIONING = 'PartitionGrowingTables1795299080000';
const BEFORE = knownMigrations().slice(0, knownMigrations().indexOf(PARTITIONING));

/** What PostgreSQL knows of our tables. */
const SCHEMA = `
  SELECT table_name AS part, column_name AS name, data_type || ' ' || is_nullable AS is
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  ORDER BY 1, 2, 3`;

const ORG = 'org_01jd3m8yeqf5rb0xkq5ym8s6tn';
const DEPLOY = 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn';
const RUN = 'run_01jd3m8yeqf5rb0xkq5ym8s6tn';

describe('the migration to partitions', () => {
  let database: TestDatabase;
  let client: Client;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
    await migrate(database.url, BEFORE);
    client = new Client({ connectionString: database.url });
    await client.connect();
    // References to what these tests do not need.
    await client.query('SET session_replication_role = replica');
    await client.query("INSERT INTO organizations VALUES ($1, 'old', 'Old', 'free', NULL, 0, now(), now())", [ORG]);
    await addEntries(client, 1, 300);
    await client.query(
      `INSERT INTO deploy_log_lines
       SELECT $1, n, now(), 'build', 'stdout', 'line ' || n FROM generate_series(1, 300) n`,
      [DEPLOY],
    );
    await client.query(
      `INSERT INTO run_events SELECT $1, n, 'run.queued', now(), '{}' FROM generate_series(1, 300) n`,
      [RUN],
    );
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  const count = async (table: string): Promise<number> =>
    Number((await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`)).rows[0]!.count);
  /** The tables with a constraint that refuses later months. */
  const proofs = async (): Promise<string[]> =>
    (
      await client.query<{ name: string }>(
        `SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE conname LIKE '%before_partitions' ORDER BY 1`,
      )
    ).rows.map(({ name }) => name);
  const upTo = (): Promise<string[]> => migrate(database.url, [...BEFORE, PARTITIONING]);

  it('keeps all rows, and what the previous release writes', async () => {
    await upTo();
    for (const table of ['audit_log', 'deploy_log_lines', 'run_events']) expect(await count(table)).toBe(300);

    // The previous release adds lines like this: what is there already is not added again.
    const again = await client.query(
      `INSERT INTO deploy_log_lines (deploy_id, seq, at, phase, stream, text)
       VALUES ($1, 300, now(), 'build', 'stdout', 'again'), ($1, 301, now(), 'build', 'stdout', 'new')
       ON CONFLICT DO NOTHING RETURNING seq`,
      [DEPLOY],
    );
    expect(again.rows).toEqual([{ seq: 301 }]);
    await addEntries(client, 301, 301);
    await expect(addEntries(client, 301, 301)).rejects.toThrow('duplicate key');
    await expect(
      client.query(`INSERT INTO run_events VALUES ($1, 1, 'run.queued', now(), '{}')`, [RUN]),
    ).rejects.toThrow('duplicate key');
  });

  it('keeps references, checks and triggers', async () => {
    await upTo();
    await client.query('SET session_replication_role = origin');
    await expect(addEntries(client, 400, 400, 'org_00000000000000000000000000')).rejects.toThrow('foreign key');
    await expect(client.query(`INSERT INTO run_events VALUES ('run_1', 1, 'run.queued', now(), '{}')`)).rejects.toThrow(
      'foreign key',
    );
    await expect(
      client.query(`INSERT INTO deploy_log_lines VALUES ($1, 9999, now(), 'build', 'nowhere', '')`, [DEPLOY]),
    ).rejects.toThrow('deploy_log_lines_stream');
    const { rows } = await client.query<{ name: string }>(
      `SELECT relid::regclass::text AS name FROM pg_partition_tree('audit_log')`,
    );
    expect(rows).toHaveLength(3);
    for (const { name } of rows) {
      await expect(client.query(`UPDATE ${name} SET action = 'org.forged'`)).rejects.toThrow('append-only');
      await expect(client.query(`TRUNCATE ${name}`)).rejects.toThrow('append-only');
    }
  });

  it('lets others read and write meanwhile, even while a reader is in the way', async () => {
    const [reader, writer] = [new Client(database.url), new Client(database.url)];
    await Promise.all([reader.connect(), writer.connect()]);
    await writer.query('SET session_replication_role = replica');
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM audit_log');
    const running = { isOver: false };
    const migration = upTo().finally(() => {
      running.isOver = true;
    });
    let [written, longestMs] = [0, 0];
    for (let at = 1_001; !running.isOver; at++) {
      const startedAt = performance.now();
      await addEntries(writer, at, at);
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      if (++written === 50) await reader.query('COMMIT');
      await pause(5);
    }
    await migration;
    await Promise.all([reader.end(), writer.end()]);
    expect(written).toBeGreaterThan(50);
    expect(await count('audit_log')).toBe(300 + written);
    // It waits half a second at most for the reader, and those behind it wait no longer than that.
    expect(longestMs).toBeLessThan(onThisMachine(1_500));
  });

  it('does not hold a table that is written to last while it waits for one that is written to first', async () => {
    const request = new Client(database.url);
    await request.connect();
    await request.query('SET session_replication_role = replica');
    await request.query('BEGIN');
    await request.query('UPDATE organizations SET name = name');
    const migration = upTo();
    let isHeld: boolean | undefined;
    await eventually(async () => {
      const { rows } = await client.query<{ granted: boolean; name: string }>(
        `SELECT granted, relation::regclass::text AS name FROM pg_locks WHERE mode = 'AccessExclusiveLock'`,
      );
      isHeld = rows.some(({ granted, name }) => granted && name === 'audit_log');
      return rows.some(({ granted, name }) => !granted && name === 'organizations');
    }, 'the migration waits for organizations');
    expect(isHeld).toBe(false);
    await addEntries(request, 1_001, 1_001);
    await request.query('COMMIT');
    await migration;
    await request.end();
    expect(await count('audit_log')).toBe(301);
  });

  it('goes on where it was interrupted', async () => {
    await client.query(`CREATE FUNCTION stop() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'stopped'; END $$`);
    for (const tag of ["'ALTER TABLE'", "'CREATE TABLE'", "'ALTER INDEX'"]) {
      await client.query(
        `CREATE EVENT TRIGGER stops ON ddl_command_start WHEN TAG IN (${tag}) EXECUTE FUNCTION stop()`,
      );
      await expect(upTo()).rejects.toThrow('stopped');
      await client.query('DROP EVENT TRIGGER stops');
    }
    // It was stopped after the second of its tables, too.
    await client.query(`CREATE TABLE deploy_log_lines_default ()`);
    await expect(upTo()).rejects.toThrow('already exists');
    await client.query(`DROP TABLE deploy_log_lines_default`);
    expect(await proofs()).toEqual([]);
    await upTo();
    for (const table of ['audit_log', 'deploy_log_lines', 'run_events']) {
      expect(await count(table)).toBe(300);
      expect((await client.query(`SELECT FROM pg_partition_tree('${table}')`)).rowCount).toBe(3);
    }
  });

  it('leaves nothing that refuses later months when it fails, or says what to remove', async () => {
    await client.query('CREATE TABLE audit_log_default ()');
    await expect(upTo()).rejects.toThrow('"audit_log_default" already exists');
    expect(await proofs()).toEqual([]);
    await client.query('DROP TABLE audit_log_default');

    // Nothing can be altered once the bound is proved, and so it cannot be removed either.
    await client.query(
      `CREATE FUNCTION stop() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
         IF EXISTS (SELECT FROM pg_constraint WHERE conname = 'audit_log_before_partitions' AND convalidated)
         THEN RAISE EXCEPTION 'stopped'; END IF;
       END $$`,
    );
    await client.query(
      `CREATE EVENT TRIGGER stops ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION stop()`,
    );
    const statement = 'ALTER TABLE audit_log DROP CONSTRAINT IF EXISTS audit_log_before_partitions';
    await expect(upTo()).rejects.toThrow(statement);
    expect(await proofs()).toEqual(['audit_log']);
    await client.query('DROP EVENT TRIGGER stops');
    await client.query(statement);
    expect(await proofs()).toEqual([]);
    await upTo();
    expect(await count('audit_log')).toBe(300);
  });

  it('renews a bound that an earlier attempt has left for a month that is near', async () => {
    const next = firstIdOf(RUN_ID)(monthFrom(new Date(), 1).start);
    await client.query(
      `ALTER TABLE run_events ADD CONSTRAINT run_events_before_partitions CHECK (run_id < '${next}') NOT VALID`,
    );
    // One of the same name is of another table.
    await client.query(
      `CREATE TABLE others (id text CONSTRAINT audit_log_before_partitions CHECK (id < 'aud_02098zw900'))`,
    );
    await upTo();
    const { suffix } = monthFrom(new Date(), 2);
    for (const table of ['audit_log', 'run_events']) {
      const { rows } = await client.query<{ name: string }>(
        `SELECT relid::regclass::text AS name FROM pg_partition_tree('${table}') WHERE isleaf ORDER BY 1`,
      );
      expect(rows.map(({ name }) => name)).toEqual([`${table}_default`, `${table}_until_${suffix}`]);
    }
    expect(await proofs()).toEqual(['others']);
  });

  it('names a row of the far future, instead of one partition for all months until then', async () => {
    const id = `${firstIdOf(AUDIT_ENTRY_ID)(new Date('2040-01-01'))}0000000000000000`;
    const copy = `SELECT $1, org_id, action, target_type, target_id, details, at FROM audit_log LIMIT 1`;
    await client.query(`INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at) ${copy}`, [id]);
    await expect(upTo()).rejects.toThrow(id);
    expect(await proofs()).toEqual([]);
    // The page on partitions says to do this.
    await client.query(`CREATE TABLE aside AS SELECT * FROM audit_log WHERE id >= '${id}'`);
    await client.query('DELETE FROM audit_log WHERE id >= $1', [id]);
    await upTo();
    await client.query('INSERT INTO audit_log SELECT * FROM aside');
    expect(await count('audit_log_default')).toBe(1);
  });

  it('can be undone to what was before', async () => {
    const before = (await client.query(SCHEMA)).rows;
    await upTo();
    expect((await client.query(SCHEMA)).rows).not.toEqual(before);
    // Without what they refer to, which is not here.
    await client.query('DELETE FROM run_events');
    await client.query('DELETE FROM deploy_log_lines');
    await client.query(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
      VALUES ('aud_7zzzzzzzzz0000000000000000', $1, 'test.done', 'test', '1', '{}', now())`,
      [ORG],
    );
    const dataSource = await createDataSource({
      url: database.url,
      migrations: [...BEFORE, PARTITIONING],
      poolSize: 1,
    }).initialize();
    await dataSource.undoLastMigration({ transaction: 'each' });
    await dataSource.destroy();
    expect((await client.query(SCHEMA)).rows).toEqual(before);
    expect(await count('audit_log')).toBe(301);
  });
});

/** Adds entries with ids of the present. */
async function addEntries(client: Client, from: number, to: number, orgId = ORG): Promise<void> {
  await client.query(
    `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
     SELECT 'aud_01kb00000' || lpad(n::text, 17, '0'), $3, 'test.done', 'test', n::text, '{}', now()
     FROM generate_series($1::int, $2::int) n`,
    [from, to, orgId],
  );
}
