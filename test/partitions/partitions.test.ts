import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { DEPLOY_ID } from '../../src/modules/deploys/deploys.ids.js';
import { RUN_ID } from '../../src/modules/runs/runs.ids.js';
import { AuditLogService } from '../../src/modules/audit/audit-log.service.js';
import { AUDIT_ENTRY_ID } from '../../src/modules/audit/audit.ids.js';
import { Database } from '../../src/platform/database/database.js';
import { FileBlobStorage } from '../../src/platform/blobs/file-blob-storage.js';
import { firstIdOf } from '../../src/platform/partitions/partitioned-table.js';
import { PartitionArchivesStore } from '../../src/platform/partitions/partition-archives.store.js';
import { PartitionsStore } from '../../src/platform/partitions/partitions.store.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { eventually, TestApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

/** The months of these tests. The migration of the test database has made one partition for all that is older. */
const START = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 0, 15));
const monthOf = (later: number): Date => new Date(Date.UTC(START.getUTCFullYear(), later, 15));
const startOf = (later: number): Date => new Date(Date.UTC(START.getUTCFullYear(), later));
const suffixOf = (later: number): string => monthOf(later).toISOString().slice(0, 7).replace('-', '_');

describe('tables with a partition for each month', () => {
  let app: TestApp;
  let make: Make;
  let org: { id: string };
  let now: Date;

  beforeEach(async () => {
    app = new TestApp({ AUDIT_LOG_MONTHS: '3', AUDIT_ARCHIVE_URL: 'file:' }, 'without_databases');
    make = new Make(app);
    await app.start();
    org = await make.org(await make.person());
    const clock = app.get(Clock);
    now = START;
    jest.spyOn(clock, 'now').mockImplementation(() => now);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await app.stop();
  });

  const partitions = async (table: string): Promise<string[]> =>
    (
      await make.sql<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::text::regclass ORDER BY 1`,
        [table],
      )
    ).map(({ name }) => name);
  const ofMonths = async (table: string): Promise<string[]> =>
    (await partitions(table)).filter((name) => /_20\d\d_\d\d$/.test(name) && !name.includes('until'));
  const count = async (table: string): Promise<number> =>
    Number((await make.sql<{ count: string }>(`SELECT count(*) FROM ${table}`))[0]!.count);
  const ahead = (): Promise<unknown> => app.runSchedule('partitions');
  const removeOld = (): Promise<unknown> => app.runSchedule('old-partitions');
  /** Adds entries of a month, with ids as the service makes them. */
  const addEntries = async (later: number, rows: number): Promise<void> => {
    await make.sql(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
       SELECT $1 || lpad(n::text, 16, '0'), $2, 'test.done', 'test', n::text, '{"a": "b"}', $3::timestamptz
       FROM generate_series(1, $4::int) n`,
      [firstIdOf(AUDIT_ENTRY_ID)(monthOf(later)), org.id, monthOf(later), rows],
    );
  };
  const archiveDirectory = (): string => join(app.dataDirectory, 'audit-archive');
  interface Archived {
    partition_name: string;
    rows: string;
    manifest_key: string;
    manifest_sha256: string;
  }
  const archived = (): Promise<Archived[]> =>
    make.sql<Archived>('SELECT * FROM partition_archives ORDER BY partition_name, archived_at');
  /** Reads what an archive has, as an operator does who has nothing but its files. */
  const read = ({ manifest_key, manifest_sha256 }: Archived): { id: string; org_id: string }[] => {
    const content = readFileSync(join(archiveDirectory(), manifest_key));
    expect(hash('sha256', content)).toBe(manifest_sha256);
    const { parts } = JSON.parse(content.toString()) as { parts: { key: string; sha256: string; rows: number }[] };
    return parts.flatMap(({ key, sha256, rows }) => {
      const part = readFileSync(join(archiveDirectory(), key));
      expect(hash('sha256', part)).toBe(sha256);
      const lines = gunzipSync(part).toString().trimEnd().split('\n');
      expect(lines).toHaveLength(rows);
      return lines.map((line) => JSON.parse(line) as { id: string; org_id: string });
    });
  };

  it('have partitions for this month and the two that follow, month after month', async () => {
    await ahead();
    await ahead();
    for (const table of ['audit_log', 'deploy_log_lines', 'run_events', 'usage_events']) {
      const expected = [0, 1, 2].map((later) => `${table}_${suffixOf(later)}`);
      expect(await ofMonths(table)).toEqual(expect.arrayContaining(expected.slice(1)));
    }
    for (const later of [1, 2, 3]) {
      now = monthOf(later);
      await ahead();
      expect(await ofMonths('audit_log')).toContain(`audit_log_${suffixOf(later + 2)}`);
      await addEntries(later, 10);
      expect(await count(`audit_log_${suffixOf(later)}`)).toBe(10);
    }
    expect(await count('audit_log_default')).toBe(0);
    const { text } = await app.fetch('/metrics');
    expect(text).toContain('partition_months_ahead{table="audit_log"} 2');
    expect(text).toContain('partition_default_rows{table="audit_log"} 0');
  });

  it('take rows whose month has no partition, and move them to it once it exists', async () => {
    now = monthOf(6);
    await addEntries(6, 1_000);
    await addEntries(9, 5);
    expect(await count('audit_log_default')).toBe(1_005);
    await ahead();
    expect(await count(`audit_log_${suffixOf(6)}`)).toBe(1_000);
    expect(await count('audit_log_default')).toBe(5);
    expect((await app.fetch('/metrics')).text).toContain('partition_default_rows{table="audit_log"} 5');
    for (const name of await partitions('audit_log'))
      await expect(make.sql(`DELETE FROM ${name}`)).rejects.toThrow('append-only');
    const { items } = await app.get(AuditLogService).list(org.id, { limit: 6, after: undefined });
    expect(items.map(({ targetId }) => targetId)).toEqual(['5', '4', '3', '2', '1', '1000']);
  });

  it('ask for another attempt at a write that met the creation of its partition', async () => {
    const key = await make.key(await make.person());
    now = monthOf(6);
    const creating = new Client(app.config.databaseUrl);
    await creating.connect();
    try {
      await creating.query('BEGIN');
      await creating.query('LOCK TABLE audit_log_default IN ACCESS EXCLUSIVE MODE');
      const answer = app.post('/api/v1/projects', { name: 'Met', slug: 'met' }, as(key));
      await eventually(
        async () => (await count("pg_locks WHERE NOT granted AND relation = 'audit_log_default'::regclass")) > 0,
        'a row of the month waits',
      );
      const [from, to] = [6, 7].map((later) => firstIdOf(AUDIT_ENTRY_ID)(startOf(later)));
      await creating.query('CREATE TABLE created_now (LIKE audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS)');
      await creating.query(
        `ALTER TABLE audit_log ATTACH PARTITION created_now FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
      await creating.query('COMMIT');
      expect((await answer).body.error).toMatchObject({ code: 'service_unavailable', status: 503 });
    } finally {
      await creating.end();
    }
    expectStatus(201, await app.post('/api/v1/projects', { name: 'Met', slug: 'met' }, as(key)));
  });

  it('say so when the partition of a coming month is missing', async () => {
    const create = jest.spyOn(PartitionsStore.prototype, 'create').mockRejectedValue(new Error('No room.'));
    now = monthOf(6);
    await expect(ahead()).rejects.toThrow('No room.');
    expect((await app.fetch('/metrics')).text).toContain('partition_months_ahead{table="run_events"} -1');
    create.mockRestore();
    await ahead();
    expect((await app.fetch('/metrics')).text).toContain('partition_months_ahead{table="run_events"} 2');
  });

  it('are looked at even if another one cannot be, or another process has it', async () => {
    const original = PartitionsStore.prototype.count.bind(app.get(PartitionsStore));
    const counting = jest.spyOn(PartitionsStore.prototype, 'count').mockImplementation(async (partition, limit) => {
      if (partition === 'audit_log_default') throw new Error('Not to be read.');
      return original(partition, limit);
    });
    now = monthOf(6);
    await expect(ahead()).rejects.toThrow('Not to be read.');
    for (const table of ['audit_log', 'deploy_log_lines', 'run_events', 'usage_events'])
      expect(await ofMonths(table)).toContain(`${table}_${suffixOf(8)}`);
    counting.mockRestore();

    const other = new Client(app.config.databaseUrl);
    await other.connect();
    await other.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('audit_log partitions'))");
    now = monthOf(9);
    await ahead();
    expect(await ofMonths('audit_log')).not.toContain(`audit_log_${suffixOf(9)}`);
    expect(await ofMonths('run_events')).toContain(`run_events_${suffixOf(9)}`);
    await other.query('COMMIT');
    await other.end();
    await ahead();
    expect(await ofMonths('audit_log')).toContain(`audit_log_${suffixOf(9)}`);
  });

  it('archive months of the audit log that are no longer kept, and no others', async () => {
    for (const later of [2, 3, 4]) {
      now = monthOf(later);
      await ahead();
      await addEntries(later, 10 + later);
    }
    await removeOld();
    expect(await archived()).toMatchObject([{ partition_name: expect.stringContaining('until') }]);
    now = monthOf(6);
    await removeOld();
    await removeOld();
    const months = (await archived()).filter(({ rows }) => rows === '12');
    expect(months.map(({ partition_name }) => partition_name)).toEqual([`audit_log_${suffixOf(2)}`]);
    expect(read(months[0]!).map(({ org_id }) => org_id)).toEqual(Array.from({ length: 12 }, () => org.id));
    expect(await count('audit_log')).toBe(13 + 14);
    expect(await partitions('audit_log')).not.toContain(`audit_log_${suffixOf(2)}`);

    const { items } = await app.get(AuditLogService).list(org.id, { limit: 100, after: undefined });
    expect(items).toHaveLength(27);
  });

  it('lose no row and archive none twice, wherever the archiving is killed', async () => {
    now = monthOf(2);
    await ahead();
    await addEntries(2, 11_000);
    const all = (await make.sql<{ id: string }>('SELECT id FROM audit_log ORDER BY id')).map(({ id }) => id);
    now = monthOf(6);

    /** Each operation of the archiving can be the last one, before it is done and after. */
    let [left, isAfter] = [Infinity, false];
    for (const [prototype, name] of [
      [PartitionsStore.prototype, 'query'],
      [PartitionArchivesStore.prototype, 'insert'],
      [FileBlobStorage.prototype, 'put'],
      [FileBlobStorage.prototype, 'get'],
    ] as unknown as [Record<string, (...given: unknown[]) => Promise<unknown>>, string][]) {
      const original = prototype[name]!;
      jest.spyOn(prototype, name).mockImplementation(async function (this: unknown, ...given) {
        const isLast = --left === 0;
        if (left < 0 || (isLast && !isAfter)) throw new Error('Killed.');
        const result = await original.apply(this, given);
        if (isLast) throw new Error('Killed.');
        return result;
      });
    }
    let kills = 0;
    for (let at = 1; ; at = isAfter ? at + 1 : at, isAfter = !isAfter) {
      left = at;
      const wasKilled = await removeOld().then(
        () => false,
        (error: unknown) => (error as Error).message === 'Killed.',
      );
      left = Infinity;
      if (!wasKilled) break;
      kills++;
      // What is in the archive by the record, and what is in the table, is everything, and nothing is in both.
      const inArchive = (await archived()).flatMap((each) => read(each).map(({ id }) => id));
      const inTable = (await make.sql<{ id: string }>('SELECT id FROM audit_log ORDER BY id')).map(({ id }) => id);
      expect([...inArchive, ...inTable].sort()).toEqual(all);
    }
    expect(kills).toBeGreaterThan(30);
    expect(await count('audit_log')).toBe(0);
    // Repetitions wrote the same files.
    const files = readdirSync(join(archiveDirectory(), 'partitions', `audit_log_${suffixOf(2)}`));
    expect(files.filter((name) => name.endsWith('.jsonl.gz'))).toHaveLength(3);
  });

  it('keep a partition that gets rows while it is archived, and archive it with them later', async () => {
    now = monthOf(2);
    await ahead();
    await addEntries(2, 5);
    now = monthOf(6);
    const storage = FileBlobStorage.prototype as unknown as Record<string, (...given: unknown[]) => Promise<void>>;
    const original = storage['put']!;
    let isLate = false;
    jest.spyOn(storage, 'put').mockImplementation(async function (this: unknown, ...given) {
      await original.apply(this, given);
      if (isLate || !String(given[0]).includes(`${suffixOf(2)}/manifest`)) return;
      isLate = true;
      await make.sql(
        `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
         VALUES ($1 || 'zzzzzzzzzzzzzzzz', $2, 'test.done', 'test', 'late', '{}', now())`,
        [firstIdOf(AUDIT_ENTRY_ID)(monthOf(2)), org.id],
      );
    });
    await removeOld();
    expect(isLate).toBe(true);
    expect(await count(`audit_log_${suffixOf(2)}`)).toBe(6);
    expect(app.log()).toContainEqual(
      expect.objectContaining({ level: 'warn', partition: `audit_log_${suffixOf(2)}`, rows: 5 }),
    );
    await removeOld();
    const month = (await archived()).find(({ partition_name }) => partition_name === `audit_log_${suffixOf(2)}`)!;
    expect(month.rows).toBe('6');
    // Files of the first attempt are still there. The manifest does not name them.
    expect(new Set(read(month).map(({ id }) => id)).size).toBe(6);
  });

  it('are archived once more when a month was put back', async () => {
    now = monthOf(2);
    await ahead();
    await addEntries(2, 5);
    const bounds = [2, 3].map((later) => {
      const month = monthOf(later);
      return firstIdOf(AUDIT_ENTRY_ID)(new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), 1)));
    });
    now = monthOf(6);
    await removeOld();
    const name = `audit_log_${suffixOf(2)}`;
    const [first] = (await archived()).filter(({ partition_name }) => partition_name === name);
    await make.sql(`CREATE TABLE ${name} PARTITION OF audit_log FOR VALUES FROM ('${bounds[0]}') TO ('${bounds[1]}')`);
    await addEntries(2, 6);
    now = new Date(now.getTime() + 3_600_000);
    await removeOld();
    expect((await archived()).filter(({ partition_name }) => partition_name === name)).toEqual([
      first,
      expect.objectContaining({ rows: '6' }),
    ]);
    expect(await count('audit_log')).toBe(0);
  });

  it('write no file again that an earlier attempt has written, in whatever time zone', async () => {
    now = monthOf(2);
    await ahead();
    await addEntries(2, 5_005);
    now = monthOf(6);
    const insert = PartitionArchivesStore.prototype.insert.bind(app.get(PartitionArchivesStore));
    const inserting = jest.spyOn(PartitionArchivesStore.prototype, 'insert').mockImplementation(async (archive) => {
      if (archive.partition.endsWith(suffixOf(2))) throw new Error('Full.');
      return insert(archive);
    });
    const put = jest.spyOn(FileBlobStorage.prototype, 'put');
    await expect(removeOld()).rejects.toThrow('Full.');
    const names = put.mock.calls.map(([key]) => key).filter((key) => key.includes(`_${suffixOf(2)}/`));
    expect(names.map((name) => name.split('/')[2]!.split('-')[0])).toEqual(['0000001', '0000002', 'manifest']);
    inserting.mockRestore();
    put.mockClear();
    // All connections of the pool, at once.
    const changes = Array.from({ length: 5 }, () =>
      make.sql("SELECT set_config('TimeZone', 'Asia/Tokyo', false), pg_sleep(0.2)"),
    );
    await Promise.all(changes);
    await removeOld();
    expect(put).not.toHaveBeenCalled();
    expect(await count('audit_log')).toBe(0);
  });

  it('keep a partition whose archive cannot be read back', async () => {
    now = monthOf(2);
    await ahead();
    await addEntries(2, 5);
    now = monthOf(6);
    const get = jest.spyOn(FileBlobStorage.prototype, 'get').mockImplementation(async () => {
      const { Readable } = await import('node:stream');
      return Readable.from([Buffer.from('damaged')]);
    });
    await expect(removeOld()).rejects.toThrow('cannot be read as it was written');
    expect(await count(`audit_log_${suffixOf(2)}`)).toBe(5);
    expect(await archived()).toEqual([]);
    get.mockRestore();
    await removeOld();
    expect(await archived()).toHaveLength(2);
  });

  it('never make writers wait for long, even while a reader is in the way', async () => {
    now = monthOf(2);
    await ahead();
    await addEntries(2, 5);
    now = monthOf(6);
    await ahead();
    const [reader, writer] = [new Client(app.config.databaseUrl), new Client(app.config.databaseUrl)];
    await Promise.all([reader.connect(), writer.connect()]);
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM audit_log');
    const put = jest.spyOn(FileBlobStorage.prototype, 'put');
    const removal = { isOver: false };
    const postponed = removeOld().finally(() => {
      removal.isOver = true;
    });
    let longestMs = 0;
    for (let at = 1; !removal.isOver; at++) {
      const startedAt = performance.now();
      await writer.query(
        `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
         VALUES ($1 || lpad($2, 16, '0'), $3, 'test.done', 'test', $2, '{}', now())`,
        [firstIdOf(AUDIT_ENTRY_ID)(monthOf(6)), String(at), org.id],
      );
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      await pause(5);
    }
    await postponed;
    expect(app.log()).toContainEqual(expect.objectContaining({ level: 'info', change: 'remove audit_log' }));
    expect(put).not.toHaveBeenCalled();
    expect(longestMs).toBeLessThan(onThisMachine(1_000));
    expect(await count(`audit_log_${suffixOf(2)}`)).toBe(5);
    await reader.query('COMMIT');
    await Promise.all([reader.end(), writer.end()]);
    await removeOld();
    expect(await partitions('audit_log')).not.toContain(`audit_log_${suffixOf(2)}`);
  });

  it('are removed while others write to what their rows refer to', async () => {
    now = monthOf(2);
    await ahead();
    await addEntries(2, 5);
    now = monthOf(6);
    await ahead();
    // Locks of the transaction, after the drop.
    const locks: { name: string; mode: string }[] = [];
    const insert = PartitionArchivesStore.prototype.insert.bind(app.get(PartitionArchivesStore));
    jest.spyOn(PartitionArchivesStore.prototype, 'insert').mockImplementation(async (archive) => {
      locks.push(
        ...(await app.get(Database).manager.query<{ name: string; mode: string }[]>(
          `SELECT relation::regclass::text AS name, mode FROM pg_locks
           WHERE pid = pg_backend_pid() AND relation IN (SELECT oid FROM pg_class)
             AND mode NOT IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')`,
        )),
      );
      return insert(archive);
    });
    const writer = new Client(app.config.databaseUrl);
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query('UPDATE organizations SET name = name WHERE id = $1', [org.id]);
    await writer.query('UPDATE users SET updated_at = updated_at');
    await removeOld();
    await writer.query(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
       VALUES ($1 || '0000000000000001', $2, 'test.done', 'test', '1', '{}', now())`,
      [firstIdOf(AUDIT_ENTRY_ID)(monthOf(6)), org.id],
    );
    await writer.query('COMMIT');
    await writer.end();
    expect(new Set(locks.map(({ name }) => name))).toEqual(new Set(['audit_log', 'audit_log_default']));
    expect(await partitions('audit_log')).not.toContain(`audit_log_${suffixOf(2)}`);
    expect(await count('audit_log')).toBe(1);
  });

  it('drop months of build logs and of events of runs when nothing is left of them', async () => {
    now = monthOf(2);
    await ahead();
    const client = new Client(app.config.databaseUrl);
    await client.connect();
    // Without the deploys and runs that they belong to.
    await client.query('SET session_replication_role = replica');
    await client.query(
      `INSERT INTO deploy_log_lines VALUES ($1 || '0000000000000000', 1, now(), 'build', 'stdout', 'a line')`,
      [firstIdOf(DEPLOY_ID)(monthOf(2))],
    );
    await client.query(`INSERT INTO run_events VALUES ($1 || '0000000000000000', 1, 'run.queued', now(), '{}')`, [
      firstIdOf(RUN_ID)(monthOf(3)),
    ]);
    now = monthOf(6);
    await ahead();
    await removeOld();
    expect(await partitions('deploy_log_lines')).toContain(`deploy_log_lines_${suffixOf(2)}`);
    now = monthOf(8);
    await ahead();
    await client.query('DELETE FROM deploy_log_lines');
    await client.end();
    await removeOld();
    expect(await ofMonths('deploy_log_lines')).toEqual(
      [4, 6, 7, 8, 9, 10].map((n) => `deploy_log_lines_${suffixOf(n)}`),
    );
    expect(await partitions('run_events')).toContain(`run_events_${suffixOf(3)}`);
    expect(await partitions('usage_events')).toContain(`usage_events_${suffixOf(2)}`);
    expect(existsSync(archiveDirectory())).toBe(true);
  });
});

describe('without settings', () => {
  it('no month of the audit log leaves the database', async () => {
    const app = new TestApp({}, 'without_databases');
    await app.start();
    try {
      const make = new Make(app);
      await make.person();
      jest.spyOn(app.get(Clock), 'now').mockReturnValue(monthOf(40));
      await app.runSchedule('old-partitions');
      const [row] = await make.sql<{ count: string }>('SELECT count(*) FROM audit_log');
      expect(Number(row!.count)).toBeGreaterThan(0);
    } finally {
      jest.restoreAllMocks();
      await app.stop();
    }
  });

  it('a time to archive without a place to archive to is refused', async () => {
    const app = new TestApp({ AUDIT_LOG_MONTHS: '3' }, 'without_databases');
    await expect(app.start()).rejects.toThrow('AUDIT_LOG_MONTHS needs AUDIT_ARCHIVE_URL');
  });
});
