import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../support/embedded-servers.js';
import { freePort } from '../support/free-port.js';
import { FakeModelRouter, ROUTER_KEY } from '../support/fake-model-router.js';
import { onThisMachine } from '../support/patience.js';
import { makeScratchDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { flushTestRedis, testRedisUrl } from '../support/test-redis.js';
import { Backends } from './backends.js';
import { Hooks } from './hooks.js';
import { commandsOf } from './page.js';
import { build, buildThis, findPreviousRelease } from './previous-release.js';
import { Release, type Running, stop } from './release.js';
import { SteadyLoad } from './steady-load.js';
import { Caller, type Made, OPS_TOKEN, revisit, walk } from './walk.js';

jest.setTimeout(onThisMachine(420_000));

const { commit, missing } = findPreviousRelease();
if (missing !== undefined) console.warn(`LEFT OUT: ${missing}`);

/** All tables that hold rows, as partitions get the columns of their parent. */
const TABLES = `
  SELECT oid::regclass::text AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname <> 'migrations'`;

/** What both releases add rows to all the time. */
const GROWING = ['audit_log', 'deploy_log_lines', 'run_events', 'usage_events'];
const ROWS = GROWING.map((table) => `SELECT '${table}' AS name, count(*)::int AS count FROM ${table}`).join(
  ' UNION ALL ',
);
/** Whether a migration waits for those who use this table. */
const IS_AWAITED = `
  SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'runs'::regclass AND mode = 'AccessExclusiveLock') AS holds`;
const HAS_HOST = 'SELECT EXISTS (SELECT FROM database_hosts WHERE unavailable IS NULL) AS holds';

/** Each goes on where the one before has stopped. */
(commit === undefined ? describe.skip : describe)('an upgrade, and a return, under load', () => {
  const router = new FakeModelRouter({ speaks: 'openrouter' });
  const api = new Backends(({ service }) => Number(new URL(service.url).port));
  const sites = new Backends(({ appsPort }) => appsPort);
  const hooks = new Hooks();
  const places = { api, sites, router, hooks };
  const made: Made[] = [];
  /** What is to be done in the end, the latest first. */
  const undone: (() => unknown)[] = [
    () => {
      api.close();
      sites.close();
    },
  ];
  let directory: string;
  let database: TestDatabase;
  let client: Client;
  let before: Release;
  let after: Release;
  let load: SteadyLoad;
  let [oldApi, oldEdge, oldWorker, oldDatabases]: Running[] = [];
  let [newApi, newEdge, newWorker, newDatabases]: Running[] = [];

  beforeAll(async () => {
    directory = makeScratchDirectory();
    undone.push(() => {
      removeScratchDirectory(directory);
    });
    build(commit!, join(directory, 'previous'));
    buildThis(join(directory, 'next'), commandsOf('build'));
    // A worker that makes it closes it to the user of databases, so that the role `databases` never takes any.
    mkdirSync(join(directory, 'data'));
    await flushTestRedis();
    database = await createTestDatabase({ migrated: false });
    client = new Client({ connectionString: database.url });
    await client.connect();
    undone.push(
      () => database.drop(),
      () => client.end(),
    );
    await Promise.all([router.start(), hooks.start()]);
    undone.push(
      () => router.stop(),
      () => {
        hooks.stop();
      },
      () => ServiceProcess.killAll(),
    );
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: testRedisUrl(),
      REDIS_TIMEOUT_MS: '5000',
      DATA_DIR: join(directory, 'data'),
      API_KEY_PEPPER: 'p'.repeat(32),
      SECRETS_KEY: 's'.repeat(32),
      OPS_TOKEN,
      DEFAULT_PLAN: 'enterprise',
      APPS_URL: 'http://localhost',
      PUBLIC_URL: `http://127.0.0.1:${await freePort()}`,
      OPENROUTER_URL: router.url,
      OPENROUTER_API_KEY: ROUTER_KEY,
      WEBHOOK_TRUSTED_HOSTS: new URL(hooks.url).host,
      DATABASES_PORT: String(await freePort()),
      // Some of four jobs at once are handed over, and others wait in Redis.
      SANDBOX_CONCURRENCY: '2',
    };
    before = new Release(join(directory, 'previous'), env);
    after = new Release(join(directory, 'next'), env, commandsOf('migrate')[0]);

    await before.migrate();
    [oldApi, oldEdge, oldWorker, oldDatabases] = [
      await before.start('api'),
      await before.start('edge'),
      await before.start('worker'),
      await before.start('databases'),
    ];
    await Promise.all([api.add(oldApi), sites.add(oldEdge)]);
    // It puts its programs in place first. Hosts that are known take databases from then on.
    await until('a host takes databases', () => holds(HAS_HOST), 60_000);
    await walkOnce();
    load = startLoad(made[0]!);
    undone.push(() => load.stop());
  });

  afterAll(async () => {
    for (const undo of undone.reverse()) await undo();
  });

  function startLoad({ key, page, project }: Made): SteadyLoad {
    const caller = new Caller(api, key);
    const get = (path: string) => () => caller.send('GET', `/api/v1${path}`);
    const execution = { language: 'python', code: 'print(1)' };
    return new SteadyLoad([
      { name: 'who am I', everyMs: 250, send: get('/me') },
      { name: 'project', everyMs: 500, send: get(`/projects/${project}`) },
      { name: 'usage', everyMs: 2_000, send: get('/billing/usage') },
      { name: 'page', everyMs: 400, send: () => sites.send({ path: '/', headers: { host: page.host } }) },
      { name: 'execution', everyMs: 3_000, send: () => caller.send('POST', '/api/v1/sandbox/executions', execution) },
      {
        name: 'key',
        everyMs: 2_000,
        send: async () => {
          const { id } = await caller.data('POST', '/keys', { name: 'load' });
          return caller.send('DELETE', `/api/v1/keys/${id}`);
        },
      },
    ]);
  }

  async function revisitAll(): Promise<void> {
    for (const each of made) await revisit(places, each);
  }

  const holds = async (sql: string): Promise<boolean> => (await client.query<{ holds: boolean }>(sql)).rows[0]!.holds;

  /** Walks, which leaves rows in each table that grows. */
  async function walkOnce(): Promise<void> {
    const { rows: earlier } = await client.query<{ name: string; count: number }>(ROWS);
    made.push(await walk(places));
    const { rows: later } = await client.query<{ name: string; count: number }>(ROWS);
    expect(later.filter(({ count }, n) => count <= earlier[n]!.count)).toEqual([]);
  }

  it('migrates beneath the processes of the previous release, which write before, meanwhile and after', async () => {
    const reader = new Client({ connectionString: database.url });
    await reader.connect();
    undone.push(() => reader.end());
    // A migration that needs this table waits, as for a backup, with all of before it done.
    await reader.query('BEGIN');
    await reader.query('SELECT FROM runs LIMIT 1');
    let hasEnded = false;
    const migration = after.migrate().finally(() => {
      hasEnded = true;
    });
    const beneath = async (): Promise<void> => {
      await until('it waits, or has no need to', async () => hasEnded || (await holds(IS_AWAITED)), 60_000);
      await walkOnce();
    };
    await Promise.all([migration, beneath().finally(() => reader.query('COMMIT'))]);
    await until('the processes find what they need', async () => (await oldApi!.service.statusOf('/ready')) === 200);
    await revisitAll();
    await walkOnce();
    expect(load.failures).toEqual([]);
  });

  it('lets processes go on when tables gain columns, as by the next release', async () => {
    const { rows } = await client.query<{ name: string }>(TABLES);
    expect(rows.length).toBeGreaterThan(50);
    for (const { name } of rows) await client.query(`ALTER TABLE ${name} ADD COLUMN of_the_next_release text`);
    await revisitAll();
    expect(load.failures).toEqual([]);
  });

  it('gives work of the new API to the old worker, and of both APIs', async () => {
    newApi = await after.start('api');
    await api.add(newApi);
    await walkOnce();
    expect(load.failures).toEqual([]);
  });

  it('gives work of the old API to the new worker', async () => {
    newWorker = await after.start('worker');
    await stop(oldWorker!);
    newEdge = await after.start('edge');
    await sites.add(newEdge);
    // It has the data of its machine, so one ends before the other begins.
    await stop(oldDatabases!);
    newDatabases = await after.start('databases');
    await revisitAll();
    await walkOnce();
    expect(load.failures).toEqual([]);
  });

  it('goes on without the previous release', async () => {
    await Promise.all([stop(oldApi!), stop(oldEdge!)]);
    api.remove(oldApi!);
    sites.remove(oldEdge!);
    await revisitAll();
    expect(load.failures).toEqual([]);
  });

  it('returns to the previous release on the new schema, without a migration', async () => {
    [oldApi, oldEdge, oldWorker] = [
      await before.start('api'),
      await before.start('edge'),
      await before.start('worker'),
    ];
    await Promise.all([api.add(oldApi), sites.add(oldEdge)]);
    await Promise.all([stop(newApi!), stop(newEdge!), stop(newWorker!)]);
    await stop(newDatabases!);
    oldDatabases = await before.start('databases');
    api.remove(newApi!);
    sites.remove(newEdge!);
    expect(await before.migrate()).toBe('The database is up to date.\n');
    await revisitAll();
    await walkOnce();
    await load.stop();
    expect(load.failures).toEqual([]);
    for (const count of Object.values(load.sent)) expect(count).toBeGreaterThan(5);
    console.info(`Sent under the upgrade and the return: ${JSON.stringify(load.sent)}, 0 failed.`);
  });
});
