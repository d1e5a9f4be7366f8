import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseAttachments } from '../../src/modules/databases/database-attachments.js';
import { DatabaseDeletion } from '../../src/modules/databases/domain/database-deletion.js';
import { PreviewBranches } from '../../src/modules/databases/domain/preview-branches.js';
import { Database } from '../../src/platform/database/database.js';
import { codeOf, DATABASES } from '../support/databases.js';
import { type Death, KilledHost } from '../support/killed-host.js';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { descendantsOf } from '../support/processes.js';
import { sampled } from '../support/sampled.js';
import { eventually, TestApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';

jest.setTimeout(onThisMachine(120_000));

/** What a process finishes that starts after another has died. */
const FINISHED_WITHIN_MS = 40_000;
/** Copies that are kept ready for the next databases. */
const SPARES = 2;

const STEP = 'UPDATE database_operations SET step';
const END = 'UPDATE database_operations SET state = $3';
const COMMIT = 'COMMIT';

/** The API, without a host of databases. */
const app = new TestApp({}, 'api');
const wire = new Wire(app, () => host.port);
const make = new Make(app);
let host: KilledHost;
/** It has loaded the service, and waits. */
let next: KilledHost;
let shop = '';
/** The rows of the first database that were acknowledged. */
let written = 0;
/** Settings of the hosts that start from now on. */
let hostSettings: Record<string, string> = {};

const newHost = (): KilledHost =>
  new KilledHost({
    DATABASE_URL: app.config.databaseUrl!,
    REDIS_URL: app.config.redisUrl!,
    SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
    API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
    DATA_DIR: app.dataDirectory,
    PUBLIC_URL: 'http://api.test',
  });

beforeAll(async () => {
  await app.start();
  await wire.begin();
  next = newHost();
  await takeOver();
});

afterAll(async () => {
  next.kill();
  try {
    await host.stop();
    // Nothing that a host has started outlives it.
    expect(serversOf(clustersPath())).toEqual([]);
  } finally {
    await app.stop();
  }
});

const clustersPath = (): string => join(app.dataDirectory, 'databases/clusters');

/** Starts the process that waits, and waits until callers reach it. */
async function takeOver(): Promise<void> {
  host = next;
  next = newHost();
  await host.start(hostSettings);
  await eventually(
    async () => {
      const rows = await make.sql('SELECT address FROM database_hosts');
      return rows.some(({ address }) => address === `127.0.0.1:${host.port}`);
    },
    'the new process is known',
    FINISHED_WITHIN_MS,
  );
}

/** Lets the host die at a moment of what `begin` asks for, and another one take over. */
async function killed(death: Death, begin: () => Promise<unknown>): Promise<void> {
  await host.dieAt(death);
  const begun = begin();
  begun.catch(() => undefined);
  await host.died();
  await takeOver();
  await begun;
  await finished();
}

async function finished(): Promise<void> {
  let active: unknown[] = [];
  await eventually(
    async () => {
      active = await make.sql(
        `SELECT kind, step, attempts FROM database_operations WHERE state IN ('pending', 'running')
         UNION ALL SELECT kind, 0, attempt FROM database_backups WHERE state = 'pending'`,
      );
      return active.length === 0;
    },
    'what was begun is finished',
    FINISHED_WITHIN_MS,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(active)} ${host.lastLines}`);
  });
  expect(await make.sql("SELECT kind, error_message FROM database_operations WHERE state = 'failed'")).toEqual([]);
  await requireWhole();
}

/** Everything that is there belongs to a row, and everything that was acknowledged is there. */
async function requireWhole(): Promise<void> {
  const rows = await make.sql<{ id: string; cluster_id: string; state: string }>(
    'SELECT id, cluster_id, state FROM databases ORDER BY cluster_id',
  );
  expect(rows.filter(({ state }) => !['ready', 'deleted'].includes(state))).toEqual([]);
  const clusters = rows.map(({ cluster_id }) => cluster_id);
  await eventually(
    () => String(readdirSync(clustersPath()).sort()) === String(clusters),
    `the directories are those of ${String(clusters)}`,
    FINISHED_WITHIN_MS,
  );
  await eventually(
    () => {
      const spares = readdirSync(join(app.dataDirectory, 'databases/spares'));
      return spares.length <= SPARES && !spares.some((name) => name.endsWith('.unfinished'));
    },
    'copies of killed processes are used or removed',
    FINISHED_WITHIN_MS,
  );
  await eventually(
    () => readdirSync(join(app.dataDirectory, 'databases/templates')).length === 1,
    'there is one template',
    FINISHED_WITHIN_MS,
  );
  const own = new Set(descendantsOf(host.pid).map(({ pid }) => pid));
  expect(serversOf(clustersPath()).filter((pid) => !own.has(pid))).toEqual([]);
  // A database that was killed stores what is left of its log when it is awake again.
  if (shop !== '') expect(await marksOf(shop)).toEqual(Array.from({ length: written }, (_, n) => n));
  let unknown: string[] = [];
  await eventually(
    async () => (unknown = await blobsWithoutRows()).length === 0,
    'every blob has a row',
    FINISHED_WITHIN_MS,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)} ${unknown.join(' ')}`);
  });
}

async function blobsWithoutRows(): Promise<string[]> {
  if (!existsSync(join(app.dataDirectory, 'database-backups/clusters'))) return [];
  const rows = await make.sql<{ place: string }>(
    `SELECT cluster_id || '/bases/' || id || '/' || attempt AS place FROM database_backups
     UNION ALL SELECT cluster_id || '/wal/' || lpad(upper(to_hex(timeline)), 8, '0')
       || lpad(upper(to_hex(first_segment / 4096)), 8, '0') || lpad(upper(to_hex(first_segment % 4096)), 8, '0')
     FROM database_wal_ranges`,
  );
  const known = rows.map(({ place }) => `clusters/${place}`);
  const place = join(app.dataDirectory, 'database-backups');
  const keys = readdirSync(join(place, 'clusters'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(place, join(parentPath, name)));
  // A backup of the schedule may be in the middle.
  const inUse = new Set(
    (await make.sql("SELECT id FROM database_backups WHERE state = 'pending'")).map(({ id }) => id as string),
  );
  const counted = new Map<string, number>();
  for (const key of keys) {
    const range = known.find((each) => each.includes('/wal/') && key.startsWith(each));
    if (range !== undefined) counted.set(range, (counted.get(range) ?? 0) + 1);
  }
  return [
    ...keys.filter((key) => !known.some((each) => key.startsWith(each)) && !inUse.has(key.split('/')[3] ?? '')),
    // One range of the log is one blob.
    ...[...counted].filter(([, count]) => count > 1).map(([range, count]) => `${range} has ${count} blobs`),
  ];
}

/** The processes whose working directory is the data of a cluster. */
function serversOf(path: string): number[] {
  const data = new Set(
    readdirSync(path).flatMap((name) => {
      const found = lstatSync(join(path, name, 'files/data'), { throwIfNoEntry: false });
      return found === undefined ? [] : [`${found.dev}:${found.ino}`];
    }),
  );
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const { dev, ino } = statSync(`/proc/${pid}/cwd`);
        return data.has(`${dev}:${ino}`);
      } catch {
        return false;
      }
    });
}

/** Runs a statement over HTTP, which answers after the commit. */
async function run(id: string, sql: string): Promise<unknown[][]> {
  return expectStatus(200, await wire.query(id, { sql, access: 'write' })).body.data.rows as unknown[][];
}

const marksOf = async (id: string): Promise<number[]> =>
  (await run(id, 'SELECT n FROM marks ORDER BY n')).map(([n]) => Number(n));

const mark = async (): Promise<void> => {
  await run(shop, `INSERT INTO marks VALUES (${written})`);
  written++;
};

const post = (id: string, path: string, body: object): ReturnType<typeof app.post> =>
  app.post(`${DATABASES}/${id}/${path}`, body, as(wire.key));
const backup = (id: string): Promise<unknown> => app.call('POST', `${DATABASES}/${id}/backups`, as(wire.key));
const idOf = async (name: string): Promise<string> =>
  (await make.sql<{ id: string }>('SELECT id FROM databases WHERE name = $1', [name]))[0]!.id;
const rowsThen = (): number[] => Array.from({ length: written }, (_, n) => n);

describe('a host that is killed while it creates a database', () => {
  it.each(
    sampled<[string, Death]>([
      ['the first template is complete', { at: ['record '] }],
      ['the files are moved to their place', { at: ['/clusters/clu_'] }],
      ['the step is recorded', { at: [STEP] }],
      ['the outcome is committed', { at: [END, COMMIT] }],
    ]),
  )('has a whole one in the end, when it dies before %s', async (_, death) => {
    const name = uniqueName('db');
    await killed(death, () => wire.create({ name }));
    const id = await idOf(name);
    expect(await wire.get(id)).toMatchObject({ state: 'ready', error: null });
    await run(id, 'CREATE TABLE marks (n int PRIMARY KEY)');
    if (shop === '') shop = id;
  });

  it('is the same host again, and says where it is now and that it lives', async () => {
    const hosts = await make.sql('SELECT * FROM database_hosts');
    expect(hosts).toEqual([expect.objectContaining({ address: `127.0.0.1:${host.port}`, unavailable: null })]);
    expect((await make.sql("SELECT FROM database_hosts WHERE seen_at > now() - interval '30 seconds'")).length).toBe(1);
    expect(await make.sql('SELECT FROM databases WHERE host_id <> $1', [hosts[0]!['id']])).toEqual([]);
  });
});

describe('a host that is killed while it backs a database up', () => {
  it.each(
    sampled<[string, Death]>([
      ['the log has a row, but is stored', { at: ['/wal/', 'INSERT INTO database_wal_ranges'] }],
      ['the log is removed from its archive', { at: ['INSERT INTO database_wal_ranges', '/cluster/archive'] }],
      ['the copy is stored', { at: ['/bases/'] }],
      ['the copy has a row', { at: ["SET state = 'ready', timeline"] }],
    ]),
  )('has a usable backup in the end, when it dies before %s', async (_, death) => {
    await mark();
    await killed(death, () => backup(shop));
    const { restorable } = await wire.get(shop);
    expect(restorable.from).not.toBeNull();
    const ranges = await make.sql<{ first: number; last: number }>(
      `SELECT first_segment::int AS first, last_segment::int AS last FROM database_wal_ranges
       WHERE cluster_id = (SELECT cluster_id FROM databases WHERE id = $1) ORDER BY 1`,
      [shop],
    );
    for (const [index, { first }] of ranges.slice(1).entries()) expect(first).toBe(ranges[index]!.last + 1);
  });

  it('says that it can be restored, when it dies before the window of its first backup is recorded', async () => {
    const { id } = await wire.created();
    await wire.until(id as string, 'ready');
    await run(id as string, 'CREATE TABLE marks (n int PRIMARY KEY)');
    await killed({ at: ["SET state = 'ready', timeline", 'restorable_from) VALUES'] }, () => backup(id as string));
    expect((await wire.get(id as string)).restorable.from).not.toBeNull();
  });
});

describe('a host that is killed while it restores a database', () => {
  it.each(
    sampled<[string, Death]>([
      ['while the files are unpacked', { at: ['gzip -dc | tar'], whileItRuns: true }],
      ['while the log is replayed', { at: ['recovery.signal ]'], whileItRuns: true }],
      ['before the replay is recorded', { at: [STEP, STEP, STEP] }],
      ['before the data is a database', { at: [STEP, STEP, STEP, 'record '] }],
    ]),
  )('has exactly the rows of the moment in the end, when it dies %s', async (_, death) => {
    await mark();
    const [[stamp]] = (await run(shop, 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text')) as [[string]];
    const at = new Date(Math.ceil(Number(stamp)) + 1);
    const then = rowsThen();
    await eventually(() => new Date() > at, 'the moment is over');
    await mark();
    const name = uniqueName('restored');
    await killed(death, () => post(shop, 'restore', { at: at.toISOString(), name }));
    expect(await marksOf(await idOf(name))).toEqual(then);
  });
});

describe('a host that is killed while it makes a branch', () => {
  it.each(
    sampled<[string, Death]>([
      ['while the files are copied', { at: ['cd /parent/data'], whileItRuns: true }],
      ['before the copy is a database', { at: ['cat > backup_label', 'record '] }],
      ['before the copy is recorded', { at: ['cat > backup_label', STEP] }],
    ]),
  )('has all rows from before it in the end, and the parent too, when it dies %s', async (_, death) => {
    // It also wakes the parent, which is copied while it runs.
    await mark();
    const name = uniqueName('branch');
    await killed(death, () => post(shop, 'branches', { name }));
    const branch = await idOf(name);
    expect(await marksOf(branch)).toEqual(rowsThen());
    await run(branch, 'DELETE FROM marks');
    expect(await marksOf(shop)).toEqual(rowsThen());
    // A database with branches cannot be removed.
    expectStatus(204, await wire.delete(branch));
    await finished();
  });
});

describe('a host that is killed while it makes or deletes the branch of a preview', () => {
  let projectId: string;
  const branchOf = (branch: string): Promise<string> =>
    app.get(DatabaseAttachments).branchFor({ databaseId: shop, projectId, branch });

  beforeAll(async () => {
    projectId = (await wire.project()).id as string;
  });

  it.each(
    sampled<[string, Death]>([
      ['while the files are copied', { at: ['cd /parent/data'], whileItRuns: true }],
      ['before the copy is recorded', { at: ['cat > backup_label', STEP] }],
      ['before the branch is ready', { at: [END, COMMIT] }],
    ]),
  )('has one with all rows for the git branch in the end, when it dies %s', async (_, death) => {
    await mark();
    const branch = uniqueName('fix');
    let id = '';
    await killed(death, async () => (id = await branchOf(branch)));
    expect(await branchOf(branch)).toBe(id);
    expect(await marksOf(id)).toEqual(rowsThen());
    await run(id, 'DELETE FROM marks');

    await app.get(DatabaseAttachments).forgetBranch(projectId, branch);
    await killed({ at: [STEP] }, () => app.get(PreviewBranches).deleteUnused());
    expect(await wire.get(id)).toMatchObject({ state: 'deleted' });
  });

  it('has none when the git branch is deleted while it is dead', async () => {
    const branch = uniqueName('short');
    host.kill();
    await host.died();
    const id = await branchOf(branch);
    await app.get(DatabaseAttachments).forgetBranch(projectId, branch);
    await app.get(PreviewBranches).deleteUnused();
    await takeOver();
    await finished();
    await app.get(PreviewBranches).deleteUnused();
    await finished();
    expect(await wire.get(id)).toMatchObject({ state: 'deleted' });
  });
});

describe('a host that is killed while it swaps two databases', () => {
  const SWAP = 'UPDATE databases AS target';
  let other: string;

  beforeAll(async () => {
    other = (await wire.created()).id as string;
    await wire.until(other, 'ready');
    await run(other, 'CREATE TABLE marks (n int PRIMARY KEY)');
    await run(other, 'INSERT INTO marks VALUES (1000)');
  });

  it.each(
    sampled<[string, Death]>([
      ['the exchange is committed', { at: [SWAP, COMMIT] }],
      ['the exchange is recorded', { at: [SWAP, STEP] }],
    ]),
  )('has exchanged them once in the end, when it dies before %s', async (_, death) => {
    await mark();
    const [first, second] = [shop, other];
    const clusterOf = (id: string): Promise<unknown[]> =>
      make.sql('SELECT cluster_id FROM databases WHERE id = $1', [id]);
    const before = [await clusterOf(first), await clusterOf(second)];
    // The rows that were acknowledged are in the other one in the end.
    [shop, other] = [second, first];
    // The caller may have given up before the end.
    await killed(death, () => post(first, 'swap', { with: second }));
    expect([await clusterOf(second), await clusterOf(first)]).toEqual(before);
    expect(await marksOf(first)).toEqual([1_000]);
  });
});

describe('a host that is killed while it deletes a database', () => {
  async function deletable(): Promise<string> {
    const { id } = await wire.created();
    await wire.until(id as string, 'ready');
    await run(id as string, 'CREATE TABLE marks AS SELECT 7 AS n');
    return id as string;
  }

  it('has stopped it in the end, with its data, when it dies before the stop is recorded', async () => {
    const id = await deletable();
    await killed({ at: [STEP] }, () => wire.delete(id));
    expect(await wire.get(id)).toMatchObject({ state: 'deleted' });
    expectStatus(200, await wire.undelete(id));
    expect(await marksOf(id)).toEqual([7]);
  });

  it('deletes and gives back what is asked for while it is dead', async () => {
    const id = await deletable();
    host.kill();
    await host.died();
    expectStatus(204, await wire.delete(id));
    expect(codeOf(await wire.undelete(id))).toEqual([409, 'database_busy']);
    await takeOver();
    await finished();
    expect(await wire.get(id)).toMatchObject({ state: 'deleted' });
    host.kill();
    await host.died();
    expectStatus(200, await wire.undelete(id));
    await takeOver();
    expect(await marksOf(id)).toEqual([7]);
    await finished();
  });

  it.each(
    sampled<[string, Death]>([
      ['while its files are removed', { at: ['chmod -R u+rwx'], whileItRuns: true }],
      ['after its files were removed', { at: [STEP] }],
      ['after its backups were removed', { at: ['DELETE FROM database_backups'] }],
      ['before its row is removed', { at: ['DELETE FROM database_operations', COMMIT] }],
    ]),
  )('has left nothing of one that is removed for good, when it dies %s', async (_, death) => {
    const id = await deletable();
    expectStatus(204, await wire.delete(id));
    await wire.until(id, 'deleted');
    await host.dieAt(death);
    await app.get(Database).transaction(() => app.get(DatabaseDeletion).removeForGood(id));
    await host.died();
    // Half of it may be gone.
    expect(codeOf(await wire.undelete(id))).toEqual([409, 'database_busy']);
    await takeOver();
    await finished();
    expect(await make.sql('SELECT FROM databases WHERE id = $1', [id])).toEqual([]);
    expect(codeOf(await app.fetch(`${DATABASES}/${id}`, as(wire.key)))).toEqual([404, 'database_not_found']);
  });
});

describe('a host that is killed while a client is connected', () => {
  it('has nothing of an import that was not over, and all of the one after it', async () => {
    const importing = (pause: number): ReturnType<typeof app.call> =>
      app.call('POST', `${DATABASES}/${shop}/import`, {
        ...as(wire.key, { headers: { 'content-type': 'application/octet-stream' } }),
        body: `CREATE TABLE imported AS SELECT 1 AS n;\nSELECT pg_sleep(${pause});\nINSERT INTO imported VALUES (2);`,
      });
    const asked = importing(600);
    await eventually(
      async () => (await run(shop, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")).length > 0,
      'the import is in its middle',
      FINISHED_WITHIN_MS,
    );
    host.kill();
    await host.died();
    expect(codeOf(await asked)).toEqual([503, 'database_unavailable']);
    await takeOver();
    expect(await run(shop, "SELECT to_regclass('imported')::text")).toEqual([[null]]);
    expectStatus(200, await importing(0));
    expect(await run(shop, 'SELECT n FROM imported ORDER BY n')).toEqual([[1], [2]]);
    await requireWhole();
  });

  it('lets nobody in any more by a credential that was rotated while it was dead', async () => {
    const { url, credential } = await wire.credential(shop);
    expect(await wire.refusal(url)).toBe('none');
    host.kill();
    await host.died();
    const rotated = await post(shop, `credentials/${credential.id}/rotate`, { grace_seconds: 0 });
    await takeOver();
    expect(await wire.refusal(expectStatus(200, rotated).body.data.url as string)).toBe('none');
    expect(await wire.refusal(url)).toBe('28P01');
  });
});

describe('a host that is killed while a database goes to sleep or wakes', () => {
  beforeAll(async () => {
    hostSettings = { DATABASE_FREEZE_AFTER_MS: '500', DATABASE_SLEEP_AFTER_MS: '2000' };
    host.kill();
    await host.died();
    await takeOver();
    await requireWhole();
  });

  const isShop = async (activity: string): Promise<void> =>
    eventually(
      async () => (await make.sql('SELECT activity FROM databases WHERE id = $1', [shop]))[0]!['activity'] === activity,
      `the database is ${activity}`,
      FINISHED_WITHIN_MS,
    );

  it.each(
    sampled<[string, Death]>([
      ['its size is recorded', { at: ['SET size_bytes'] }],
      ['the last of its log is stored', { at: ['stop server', '/wal/'] }],
      ['the last of its log has a row', { at: ['stop server', 'INSERT INTO database_wal_ranges'] }],
      ['it is stopped', { at: ['stop server'] }],
      [
        'it is known how much of its log is stored',
        { at: ['stop server', 'INSERT INTO database_archives (cluster_id, complete_until, logged_at)'] },
      ],
    ]),
  )('has all rows in the end, when it dies on the way to sleep before %s', async (_, death) => {
    await mark();
    await killed(death, () => Promise.resolve());
    await isShop('asleep');
    await requireWhole();
  });

  it.each(
    sampled<[string, Death]>([
      ['before the server starts', { at: ['server=$!'] }],
      ['while the server starts', { at: ['server=$!'], whileItRuns: true }],
    ]),
  )('has all rows in the end, when it dies %s', async (_, death) => {
    // What is reported may be older than the last question.
    await eventually(() => serversOf(clustersPath()).length === 0, 'every database sleeps', FINISHED_WITHIN_MS);
    await killed(death, () => wire.query(shop, { sql: 'SELECT 1' }));
  });

  it('has all rows in the end, when it dies with a connection to a database that is frozen', async () => {
    const { url } = await wire.credential(shop);
    const client = await wire.client(url);
    await client.query(`INSERT INTO marks VALUES (${written})`);
    written++;
    await isShop('frozen');
    const ended = new Promise((resolve) => client.once('end', resolve));
    host.kill();
    await host.died();
    await ended;
    await takeOver();
    await requireWhole();
  });
});
