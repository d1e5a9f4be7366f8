import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterNews } from '../../src/modules/databases/engine/own/cluster-news.js';
import { DatabaseRelay } from '../support/database-relay.js';
import { codeOf, Databases } from '../support/databases.js';
import { KilledHost } from '../support/killed-host.js';
import { expectStatus } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { RedisRelay } from '../support/redis-relay.js';
import { eventually, TestApp, useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';
import { DatabaseData } from './database-data.js';

jest.setTimeout(onThisMachine(90_000));

const ORDINARY_USER = { uid: 61_000, gid: 61_000 };

describe('a database that needs more memory than its plan has', () => {
  const app = useApp({}, 'all');
  const databases = new Databases(app);
  const data = new DatabaseData(app, databases);

  beforeAll(() => databases.begin('free'));

  it('comes back with all that was committed, and the operator learns why its sessions ended', async () => {
    const { id } = await data.marked();
    await data.query(id as string, 'INSERT INTO marks SELECT generate_series(1, 100)');
    const before = app.get(ClusterNews).oomTotal;
    // The plan has 256 MiB.
    await expect(data.query(id as string, "SELECT length(repeat('x', 600000000))")).rejects.toThrow();
    await eventually(
      async () => {
        const marks = await data.marks(id as string).catch(() => []);
        return marks.length === 100;
      },
      'it is there again with its rows',
      30_000,
    );
    await eventually(() => app.get(ClusterNews).oomTotal > before, 'it is counted');
    expect(app.log()).toContainEqual(expect.objectContaining({ cause: 'memory', clusterId: await data.clusterOf(id) }));
    await data.query(id as string, 'INSERT INTO marks VALUES (101)');
  });
});

describe('a machine that cannot isolate databases', () => {
  const app = useApp({ SANDBOX_BUBBLEWRAP: '/nonexistent/bwrap' }, 'all');
  const databases = new Databases(app);

  beforeAll(() => databases.begin());

  it('returns 503 and keeps no database, and its row says what to install', async () => {
    const reason = async (): Promise<string> =>
      String((await databases.make.sql('SELECT unavailable FROM database_hosts'))[0]?.['unavailable']);
    await eventually(async () => (await reason()) !== 'undefined', 'the host is known');
    expect(await reason()).toMatch(/^Missing: .*bubblewrap/);
    expect(codeOf(await databases.create())).toEqual([503, 'database_unavailable']);
    expect(await databases.make.sql('SELECT FROM databases')).toEqual([]);
  });
});

describe('a host that is an ordinary user of its machine', () => {
  const app = new TestApp({}, 'api');
  const wire = new Wire(app, () => host.port);
  const directory = mkdtempSync(join(tmpdir(), 'service-ordinary-'));
  // The sockets of the test servers may be closed to other users.
  let database: DatabaseRelay;
  let redis: RedisRelay;
  let host: KilledHost;
  let other: KilledHost | undefined;

  beforeAll(async () => {
    await app.start();
    await wire.begin();
    if (process.getuid?.() === 0) chownSync(directory, ORDINARY_USER.uid, ORDINARY_USER.gid);
    database = await DatabaseRelay.start(app.config.databaseUrl!);
    redis = await RedisRelay.start();
    host = ordinaryHost();
    await host.start();
    await available(host);
  });

  afterAll(async () => {
    try {
      await other?.stop();
      await host.stop();
    } finally {
      await Promise.all([database.stop(), redis.stop()]);
      await app.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  const settingsOf = (databaseUrl: string, redisUrl: string, dataDirectory: string): Record<string, string> => ({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
    API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
    DATA_DIR: dataDirectory,
    PUBLIC_URL: 'http://api.test',
  });

  const ordinaryHost = (): KilledHost =>
    new KilledHost(settingsOf(database.url, redis.url, directory), process.getuid?.() === 0 ? ORDINARY_USER : {});

  const available = (one: KilledHost): Promise<void> =>
    eventually(
      async () => {
        const rows = await wire.make.sql('SELECT address FROM database_hosts WHERE unavailable IS NULL');
        return rows.some(({ address }) => address === `127.0.0.1:${one.port}`);
      },
      'the host is known',
      30_000,
    );

  it('creates databases, which answer over the wire and over HTTP', async () => {
    const { id } = await wire.created();
    await wire.until(id as string, 'ready');
    const rows = await wire.query(id as string, { sql: 'CREATE TABLE marks AS SELECT 7 AS n', access: 'write' });
    expectStatus(200, rows);
    expect(expectStatus(200, await wire.query(id as string, { sql: 'SELECT n FROM marks' })).body.data.rows).toEqual([
      [7],
    ]);
    const { url } = await wire.credential(id as string);
    const client = await wire.client(url);
    expect((await client.query('SELECT n FROM marks')).rows).toEqual([{ n: 7 }]);
    await client.end();
  });

  it('gets no new database once it was not seen for 30 seconds, and another host does', async () => {
    const [gone] = await wire.make.sql('SELECT * FROM database_hosts');
    host.kill();
    await host.died();
    other = new KilledHost(settingsOf(app.config.databaseUrl!, app.config.redisUrl!, app.dataDirectory));
    await other.start();
    await available(other);
    await wire.make.sql("UPDATE database_hosts SET seen_at = now() - interval '31 seconds' WHERE id = $1", [
      gone!['id'],
    ]);
    const { id } = await wire.ready();
    const hosts = await wire.make.sql('SELECT id, address FROM database_hosts ORDER BY seen_at');
    expect(hosts).toEqual([
      { id: gone!['id'], address: gone!['address'] },
      { id: expect.stringMatching(/^dbh_/), address: `127.0.0.1:${other.port}` },
    ]);
    const [placed] = await wire.make.sql('SELECT host_id FROM databases WHERE id = $1', [id]);
    expect(placed!['host_id']).toBe(hosts[1]!['id']);
    // Its own are where their data is, and nobody pretends to have them.
    const [lost] = await wire.make.sql('SELECT id FROM databases WHERE host_id = $1', [gone!['id']]);
    expect(codeOf(await wire.query(lost!['id'] as string, { sql: 'SELECT 1' }))).toEqual([503, 'database_unavailable']);

    // It comes back, as the same host and with the same rows.
    host = ordinaryHost();
    await host.start();
    await available(host);
    expect(
      expectStatus(200, await wire.query(lost!['id'] as string, { sql: 'SELECT n FROM marks' })).body.data.rows,
    ).toEqual([[7]]);
    expect(await wire.make.sql('SELECT FROM database_hosts')).toHaveLength(2);
  });
});
