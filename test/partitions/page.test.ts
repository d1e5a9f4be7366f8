import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { AUDIT_ENTRY_ID } from '../../src/modules/audit/audit.ids.js';
import { firstIdFrom } from '../../src/modules/metering/recording/event-id.js';
import { serverAccount } from '../../src/platform/accounts/server-account.js';
import { Schedules } from '../../src/platform/background/schedules.js';
import { firstIdOf } from '../../src/platform/partitions/partitioned-table.js';
import { Clock } from '../../src/platform/time/clock.js';
import { knownMigrations } from '../../src/roles/data-source.js';
import { migrate } from '../../src/roles/migrate.js';
import { Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { makeScratchDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase, withAdmin } from '../support/test-database.js';

jest.setTimeout(onThisMachine(60_000));

const PAGE = readFileSync(join(__dirname, '../../docs/operations/partitions.md'), 'utf8');
const PARTITIONING = 'PartitionGrowingTables1795299080000';
const BEFORE = knownMigrations().slice(0, knownMigrations().indexOf(PARTITIONING));
/** The month that the page has in its examples. */
const [EXAMPLE, NEXT] = [new Date('2026-11-01'), new Date('2026-12-01')];
const idOf = (at: Date, end: string): string => firstIdOf(AUDIT_ENTRY_ID)(at) + end.repeat(16);

/** What is tried below is what the page says: nothing is repeated here. */
const statements = [...PAGE.matchAll(/```sql\n([\s\S]*?)```|`(SELECT [^`]+)`/g)].map(
  ([, block, inline]) => (block ?? inline)!,
);
const commands = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
const tried = new Set<string>();

/** Finds statements, or commands, by a part of them. */
function found(part: string): string {
  const [one, ...others] = [...statements, ...commands].filter((text) => text.includes(part));
  if (one === undefined || others.length > 0) throw new Error(`The page has not one example with "${part}".`);
  tried.add(one);
  return one;
}

const each = (text: string): string[] =>
  text
    .split(/;\s*$/m)
    .map((one) => one.trim())
    .filter((one) => one !== '');

const hasJq = spawnSync('jq', ['--version']).status === 0 || process.env['REQUIRE_JQ'] === '1';

describe('the page on partitions', () => {
  const undo: (() => unknown)[] = [];

  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });
  afterAll(() => {
    const left = [...statements, ...commands].filter((text) => !tried.has(text));
    if (hasJq) expect(left).toEqual([]);
  });

  async function opened(options?: { migrated: boolean }): Promise<{ database: TestDatabase; client: Client }> {
    const database = await createTestDatabase(options);
    undo.push(() => database.drop());
    const client = new Client({ connectionString: database.url });
    await client.connect();
    undo.push(() => client.end());
    return { database, client };
  }
  const addEntries = async (client: Client, ...ids: string[]): Promise<void> => {
    await client.query(
      "INSERT INTO organizations VALUES ('org_1', 'old', 'Old', 'free', NULL, 0, now(), now()) ON CONFLICT DO NOTHING",
    );
    await client.query(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
       SELECT id, 'org_1', 'test.done', 'test', '1', '{"a": "\\"quoted\\", and a line\\n"}', now()
       FROM unnest($1::text[]) AS given (id)`,
      [ids],
    );
  };
  const placesOf = async (client: Client): Promise<string[]> =>
    (
      await client.query<{ place: string }>('SELECT tableoid::regclass::text AS place FROM audit_log ORDER BY id')
    ).rows.map(({ place }) => place);
  /** This is what a service has that was upgraded before the month of the examples. */
  const dropFirst = async (client: Client): Promise<void> => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
       WHERE inhparent = 'audit_log'::regclass AND inhrelid::regclass::text ~ 'until'`,
    );
    await client.query(`DROP TABLE ${rows[0]!.name}`);
  };

  it('lists partitions with their bounds and sizes', async () => {
    const { client } = await opened();
    const { rows } = await client.query<{ partition: string; bounds: string; size: string }>(
      found("pg_partition_tree('audit_log')"),
    );
    expect(rows).toEqual([
      { partition: 'audit_log_default', bounds: 'DEFAULT', size: expect.stringMatching(/kB$/) },
      {
        partition: expect.stringMatching(/^audit_log_until_/),
        bounds: expect.stringMatching(/MINVALUE/),
        size: expect.stringMatching(/kB$/),
      },
    ]);
  });

  it('moves old months of usage to slower disks', async () => {
    const text = found('CREATE TABLESPACE');
    const directory = makeScratchDirectory();
    const place = join(directory, 'slow');
    mkdirSync(place);
    const account = serverAccount();
    if (account !== undefined) chownSync(place, account.uid, account.gid);
    undo.push(
      () => {
        removeScratchDirectory(directory);
      },
      () => withAdmin((admin) => admin.query('DROP TABLESPACE IF EXISTS slow')),
    );
    const { client } = await opened();
    await client.query(
      `CREATE TABLE usage_events_2026_11 PARTITION OF usage_events
       FOR VALUES FROM ('${firstIdFrom(EXAMPLE)}') TO ('${firstIdFrom(NEXT)}')`,
    );
    for (const statement of each(text)) await client.query(statement.replace('/mnt/slow/postgresql', place));
    const { rows } = await client.query(
      `SELECT relname AS name FROM pg_class JOIN pg_tablespace t ON t.oid = reltablespace
       WHERE spcname = 'slow' AND relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(rows).toEqual([{ name: 'usage_events_2026_11' }, { name: 'usage_events_2026_11_pkey' }]);
  });

  it('moves rows outside of all months by hand', async () => {
    const { client } = await opened();
    await dropFirst(client);
    const month = [idOf(EXAMPLE, '0'), idOf(new Date(NEXT.getTime() - 1), 'z')];
    await addEntries(client, idOf(new Date(EXAMPLE.getTime() - 1), 'z'), ...month, idOf(NEXT, '0'));
    expect(new Set(await placesOf(client))).toEqual(new Set(['audit_log_default']));
    await client.query(found('DELETE FROM audit_log_default'));
    expect(await placesOf(client)).toEqual([
      'audit_log_default',
      'audit_log_2026_11',
      'audit_log_2026_11',
      'audit_log_default',
    ]);
    for (const name of ['audit_log_2026_11', 'audit_log_default'])
      await expect(client.query(`DELETE FROM ${name}`)).rejects.toThrow('append-only');
  });

  it('removes what an upgrade leaves that was broken off', async () => {
    const { database, client } = await opened({ migrated: false });
    await migrate(database.url, BEFORE);
    for (const [table, key] of [
      ['audit_log', 'id'],
      ['deploy_log_lines', 'deploy_id'],
      ['run_events', 'run_id'],
    ])
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_before_partitions CHECK (${key} < '0')`);
    await client.query(found('deploy_log_lines_before_partitions'));
    const left = "SELECT 1 FROM pg_constraint WHERE conname LIKE '%before_partitions'";
    expect((await client.query(left)).rows).toEqual([]);
  });

  it('sets rows of the future aside until after the upgrade', async () => {
    const { database, client } = await opened({ migrated: false });
    await migrate(database.url, BEFORE);
    const ids = [idOf(EXAMPLE, '0'), idOf(new Date('2040-01-01'), '0')];
    await addEntries(client, ...ids);
    const upTo = (): Promise<string[]> => migrate(database.url, [...BEFORE, PARTITIONING]);
    await expect(upTo()).rejects.toThrow(ids[1]);
    const [before, after] = found('audit_log_of_the_future AS').split('-- after the upgrade:\n');
    await client.query(before!);
    await upTo();
    await client.query(after!);
    expect((await placesOf(client))[1]).toBe('audit_log_default');
    expect(await placesOf(client)).toHaveLength(2);
  });

  (hasJq ? it : it.skip)('finds entries in an archive, and brings a month back', async () => {
    const app = new TestApp({ AUDIT_LOG_MONTHS: '3', AUDIT_ARCHIVE_URL: 'file:' }, 'without_databases');
    jest.spyOn(Schedules.prototype, 'start').mockReturnValue();
    undo.push(() => app.stop(), jest.restoreAllMocks);
    await app.start();
    const client = new Client({ connectionString: app.config.databaseUrl });
    await client.connect();
    undo.push(() => client.end());
    const monthOf = (later: number): Date => new Date(Date.UTC(new Date().getUTCFullYear() + 1, later, 15));
    const name = `audit_log_${monthOf(2).toISOString().slice(0, 7).replace('-', '_')}`;
    jest.spyOn(app.get(Clock), 'now').mockReturnValue(monthOf(2));
    await app.runSchedule('partitions');
    await addEntries(client, idOf(monthOf(2), '0'), idOf(monthOf(2), '1'));
    const { organization } = await new Make(app).person();
    const all = 'SELECT * FROM audit_log ORDER BY id';
    const before = (await client.query(all)).rows as { org_id: string }[];
    jest.spyOn(app.get(Clock), 'now').mockReturnValue(monthOf(6));
    await app.runSchedule('old-partitions');
    expect((await client.query(all)).rows).toEqual([]);

    const record = found('FROM partition_archives').replace('audit_log_2026_11', name);
    const { rows } = await client.query<{ manifest_key: string; manifest_sha256: string }>(record);
    const { manifest_key: manifest, manifest_sha256: sha256 } = rows[0]!;
    const here = (text: string): string =>
      text
        .replaceAll(/partitions\/audit_log_2026_11\/manifest-[0-9a-f]+\.json/g, manifest)
        .replaceAll(/org_[0-9a-z]{26}/g, organization.id);
    const run = (command: string, cwd: string): string => {
      const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', command], { cwd });
      if (status !== 0) throw new Error(`${command} ended with ${String(status)}: ${stderr.toString()}`);
      return stdout.toString();
    };
    const [hash, ...lines] = run(here(found('sha256sum --check')), app.dataDirectory)
      .trimEnd()
      .split('\n');
    expect(hash).toBe(`${sha256}  ${manifest}`);
    expect(lines).toHaveLength(before.filter(({ org_id }) => org_id === organization.id).length);

    const archive = join(app.dataDirectory, 'audit-archive');
    for (const line of here(found('\\copy')).split('\n')) {
      // `psql` runs the program and sends what it prints.
      const [, table, program, options] = /^\\copy (\w+) FROM PROGRAM '(.*)' WITH (.*)$/.exec(line) ?? [];
      if (program === undefined) await client.query(line);
      else {
        const sink = client.query(copyFrom(`COPY ${table!} FROM STDIN WITH ${options!}`));
        await pipeline(Readable.from([run(program, archive)]), sink);
      }
    }
    expect((await client.query(all)).rows).toEqual(before);
    expect(new Set(await placesOf(client))).toEqual(new Set(['audit_log_default']));
    expect(existsSync(join(archive, manifest))).toBe(true);
  });
});
