import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { AUDIT_ENTRY_ID } from '../../src/modules/audit/audit.ids.js';
import { Schedules } from '../../src/platform/background/schedules.js';
import { Log } from '../../src/platform/logging/log.js';
import { firstIdOf } from '../../src/platform/partitions/partitioned-table.js';
import { Clock } from '../../src/platform/time/clock.js';
import { BackupFiles } from '../../src/roles/backup/backup-files.js';
import { dumpDatabase, loadDatabase } from '../../src/roles/backup/database-dump.js';
import { StoredFiles } from '../../src/roles/backup/stored-files.js';
import { migrate } from '../../src/roles/migrate.js';
import { loadSettings } from '../../src/roles/settings.js';
import { Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

jest.setTimeout(onThisMachine(60_000));

/** Partitions with their bounds, constraints, indexes and triggers, and what is in them. */
const PARTITIONS = `
  SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound,
    (SELECT array_agg(pg_get_constraintdef(k.oid) ORDER BY pg_get_constraintdef(k.oid))
      FROM pg_constraint k WHERE k.conrelid = c.oid) AS rules,
    (SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid) AS indexes,
    (SELECT array_agg(tgname ORDER BY tgname)
      FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT tgisinternal) AS triggers
  FROM pg_class c WHERE c.relispartition AND c.relkind = 'r' ORDER BY 1`;

describe('a restored database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'partitions-'));
  const databases: TestDatabase[] = [];
  const clients: Client[] = [];

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all(databases.map((database) => database.drop()));
    rmSync(directory, { recursive: true });
  });

  async function opened(database: TestDatabase): Promise<Client> {
    const client = new Client(database.url);
    await client.connect();
    databases.push(database);
    clients.push(client);
    return client;
  }

  it('has the partitions of the backup with their rows, and none of the time of the restoration', async () => {
    const source = await createTestDatabase();
    const before = await opened(source);
    // A service that was migrated long ago has the same.
    const [old] = (
      await before.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits
         WHERE inhparent = 'audit_log'::regclass AND inhrelid::regclass::text LIKE '%until%'`,
      )
    ).rows;
    await before.query(`DROP TABLE ${old!.name}`);
    for (const [name, from, to] of [
      ['audit_log_until_2026_01', 'MINVALUE', "'aud_01kdvdna00'"],
      ['audit_log_2026_01', "'aud_01kdvdna00'", "'aud_01kgb7zk00'"],
    ])
      await before.query(
        `CREATE TABLE ${name} PARTITION OF audit_log FOR VALUES FROM (${from}) TO (${to});
         CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${name}
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log()`,
      );
    await before.query("INSERT INTO organizations VALUES ('org_1', 'old', 'Old', 'free', NULL, 0, now(), now())");
    await before.query(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
       SELECT id, 'org_1', 'test.done', 'test', '1', '{}', now()
       FROM unnest(ARRAY['aud_01jd', 'aud_01kdx', 'aud_01zz']) AS ids (id)`,
    );

    const files = new BackupFiles(directory, undefined);
    const dump = await dumpDatabase(source.url, files);
    const target = await createTestDatabase({ migrated: false });
    await migrate(target.url, dump.migrations);
    await loadDatabase(target.url, { files, dump });

    const after = await opened(target);
    expect((await after.query(PARTITIONS)).rows).toEqual((await before.query(PARTITIONS)).rows);
    const { rows } = await after.query('SELECT tableoid::regclass::text AS place FROM audit_log ORDER BY id');
    expect(rows).toEqual(
      ['audit_log_until_2026_01', 'audit_log_2026_01', 'audit_log_default'].map((place) => ({ place })),
    );
    for (const { place } of rows as { place: string }[])
      await expect(after.query(`DELETE FROM ${place}`)).rejects.toThrow('append-only');
  });

  it('has a month that was about to be dropped while the backup ran', async () => {
    const source = await createTestDatabase();
    const other = await opened(source);
    await other.query("INSERT INTO organizations VALUES ('org_1', 'old', 'Old', 'free', NULL, 0, now(), now())");
    await other.query(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
       VALUES ('aud_01jd', 'org_1', 'test.done', 'test', '1', '{}', now())`,
    );
    const [month] = (await other.query<{ name: string }>('SELECT tableoid::regclass::text AS name FROM audit_log'))
      .rows;
    const files = new BackupFiles(join(directory, 'second'));
    const save = files.save.bind(files);
    let dropped: Promise<unknown> | undefined;
    jest.spyOn(files, 'save').mockImplementation(async (path, stream) => {
      // The first file is of another table.
      dropped ??= other
        .query(`SET lock_timeout = '500ms'; DROP TABLE ${month!.name}`)
        .catch((error: unknown) => String(error));
      await dropped;
      await save(path, stream);
    });
    const dump = await dumpDatabase(source.url, files);
    expect(await dropped).toContain('lock timeout');
    expect(dump.tables.find(({ name }) => name === 'audit_log')!.rows).toBe(1);
    expect(dump.partitions.map(({ name }) => name)).toContain(month!.name);
  });
});

describe('while `service backup` runs', () => {
  const app = new TestApp({ AUDIT_LOG_MONTHS: '3', AUDIT_ARCHIVE_URL: 'file:' }, 'without_databases');
  const make = new Make(app);
  const directory = mkdtempSync(join(tmpdir(), 'partitions-'));
  const monthOf = (later: number): Date => new Date(Date.UTC(new Date().getUTCFullYear() + 1, later, 15));
  const nameOf = (later: number): string => `audit_log_${monthOf(later).toISOString().slice(0, 7).replace('-', '_')}`;
  let now = monthOf(2);

  beforeAll(async () => {
    jest.spyOn(Schedules.prototype, 'start').mockReturnValue();
    await app.start();
    const { organization } = await make.person();
    jest.spyOn(app.get(Clock), 'now').mockImplementation(() => now);
    await app.runSchedule('partitions');
    await make.sql(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
       VALUES ($1 || repeat('7', 16), $2, 'test.done', 'test', '1', '{}', $3)`,
      [firstIdOf(AUDIT_ENTRY_ID)(now), organization.id, now],
    );
    now = monthOf(6);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await app.stop();
    rmSync(directory, { recursive: true });
  });

  const change = async (): Promise<void> => {
    await app.runSchedule('partitions');
    await app.runSchedule('old-partitions');
  };
  const isThere = async (name: string): Promise<boolean> =>
    (await make.sql<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [name]))[0]!.there;

  it('partitions are neither created nor removed, and no failure is reported', async () => {
    const save: BackupFiles['save'] = Reflect.get(BackupFiles.prototype, 'save');
    let changes = 0;
    const saving = jest.spyOn(BackupFiles.prototype, 'save').mockImplementation(async function (
      this: BackupFiles,
      ...given
    ) {
      if (changes++ === 0) await change();
      await save.apply(this, given);
    });
    const dump = await dumpDatabase(app.config.databaseUrl!, new BackupFiles(join(directory, 'dump')));
    saving.mockRestore();
    expect(changes).toBeGreaterThan(50);
    expect(dump.partitions.map(({ name }) => name)).toContain(nameOf(2));
    const lines = app.log().filter((line) => 'change' in line);
    expect(new Set(lines.map(({ change: what, level }) => [what, level].join(' ')))).toEqual(
      new Set(
        ['audit_log', 'deploy_log_lines', 'run_events'].flatMap((table) => [
          `create ${table} info`,
          `remove ${table} info`,
        ]),
      ),
    );
    expect(await isThere(nameOf(2))).toBe(true);
    expect(await isThere(nameOf(8))).toBe(false);
    expect((await app.fetch('/metrics')).text).toContain('partition_months_ahead{table="audit_log"} -1');
  });

  it('they are when it has ended', async () => {
    await change();
    expect(await isThere(nameOf(2))).toBe(false);
    expect(await isThere(nameOf(8))).toBe(true);
    expect((await app.fetch('/metrics')).text).toContain('partition_months_ahead{table="audit_log"} 2');
  });

  it('what uses a table for a day is a fault', async () => {
    const other = new Client(app.config.databaseUrl);
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT count(*) FROM audit_log');
    now = monthOf(9);
    await change();
    now = new Date(now.getTime() + 86_400_000);
    await expect(app.runSchedule('partitions')).rejects.toThrow('lock timeout');
    await other.query('COMMIT');
    await other.end();
    await change();
    expect(await isThere(nameOf(9))).toBe(true);
  });

  it('has the archive, and a restoration brings it back', async () => {
    const files = new BackupFiles(join(directory, 'files'));
    const paths = await new StoredFiles(app.settings, app.get(Log)).save(files);
    expect(paths).toContain('audit-archive.tar');
    const data = join(directory, 'data');
    // Also when nothing is archived there any more.
    const settings = loadSettings({ ...app.sharedSettings, DATA_DIR: data });
    await new StoredFiles(settings, app.get(Log)).load(files, ['audit-archive.tar']);
    const [before, after] = [app.dataDirectory, data].map((each) => join(each, 'audit-archive', 'partitions'));
    const names = readdirSync(before!, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(names.length).toBeGreaterThan(2);
    for (const { parentPath, name } of names) {
      const path = join(parentPath, name);
      expect(readFileSync(join(after!, path.slice(before!.length)))).toEqual(readFileSync(path));
    }
  });
});
