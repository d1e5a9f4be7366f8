import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformSessions } from '../../src/modules/databases/backups/platform-sessions.js';
import { DatabaseUnavailable } from '../../src/modules/databases/databases.errors.js';
import { Clusters } from '../../src/modules/databases/engine/own/clusters.js';
import { ClusterSizes } from '../../src/modules/databases/engine/own/cluster-sizes.js';
import { ClusterNews } from '../../src/modules/databases/engine/own/cluster-news.js';
import { eventually, useApp } from '../support/test-app.js';
import { EngineOf } from './engine-harness.js';

describe('a database that nobody uses', () => {
  const app = useApp({ DATABASE_FREEZE_AFTER_MS: '400', DATABASE_SLEEP_AFTER_MS: '400' }, 'databases');
  const on = new EngineOf(app);
  const activity = (id: string): string => app.get(Clusters).of(id).activity;

  it('is frozen with its connections, and continues with their next bytes', async () => {
    const id = await on.created();
    const client = await on.client(id);
    await client.query('CREATE TEMPORARY TABLE mine AS SELECT 7 AS number');
    await eventually(() => activity(id) === 'frozen', 'it freezes');
    const { rows } = await client.query('SELECT number FROM mine');
    expect(rows).toEqual([{ number: 7 }]);
    await client.end();
  });

  it('is not frozen while a query runs', async () => {
    const id = await on.created();
    const client = await on.client(id);
    const { rows } = await client.query('SELECT pg_sleep(2), 7 AS number');
    expect(rows).toMatchObject([{ number: 7 }]);
    await client.end();
  });

  it('is not frozen when a query has begun since it was asked', async () => {
    const id = await on.created();
    const client = await on.client(id);
    await client.query('SELECT 1');
    const sizes = app.get(ClusterSizes);
    const measure = sizes.measure.bind(sizes);
    let running: Promise<unknown> | undefined;
    const measuring = jest.spyOn(sizes, 'measure').mockImplementation(async (cluster) => {
      if (running !== undefined || cluster.id !== id) return measure(cluster);
      running = client.query('SELECT pg_sleep(2)');
      // Reports ask what it does, and see the bytes before this does.
      await sleep(100);
      activity(id);
      await sleep(800);
      return measure(cluster);
    });
    try {
      await eventually(() => running !== undefined, 'it would be frozen');
      await running;
    } finally {
      measuring.mockRestore();
    }
    await client.end();
  });

  it('is not frozen while the service works with it', async () => {
    const id = await on.created();
    const rows = await app.get(PlatformSessions).run(id, async (query) => {
      await query('SELECT 1');
      await sleep(1_500);
      return query('SELECT 7 AS number');
    });
    expect(rows).toEqual([{ number: 7 }]);
    await eventually(() => activity(id) === 'asleep', 'it sleeps');
  });

  it('is archived before it is frozen', async () => {
    const id = await on.created();
    const client = await on.client(id);
    await client.query('CREATE TABLE notes AS SELECT 7 AS number');
    await eventually(() => activity(id) === 'frozen', 'it freezes');
    expect((await client.query('SELECT archived_count > 0 AS some FROM pg_stat_archiver')).rows).toEqual([
      { some: true },
    ]);
    await client.end();
  });

  it('stops without connections, and not with one', async () => {
    const id = await on.created();
    const client = await on.client(id);
    const other = await on.created();
    await on.query(other, 'SELECT 1');
    await eventually(() => activity(other) === 'asleep', 'the one without connections sleeps');
    expect(app.get(Clusters).of(id).isAwake).toBe(true);
    await client.end();
    await eventually(() => activity(id) === 'asleep', 'it sleeps');
  });

  it('wakes for a client who comes while it goes to sleep', async () => {
    const id = await on.created();
    await on.query(id, 'CREATE TABLE notes AS SELECT 7 AS number');
    for (let round = 0; round < 5; round++) {
      const [, rows] = await Promise.all([on.engine.sleep(id), on.query(id, 'SELECT number FROM notes').catch(String)]);
      // A session that had begun is ended with the server.
      if (typeof rows !== 'string') expect(rows).toEqual([{ number: 7 }]);
    }
    expect(await on.query(id, 'SELECT number FROM notes')).toEqual([{ number: 7 }]);
  });
});

describe('the places of a machine', () => {
  const app = useApp({ DATABASES_MAX_AWAKE: '2' }, 'databases');
  const on = new EngineOf(app);
  const activity = (id: string): string => app.get(Clusters).of(id).activity;

  it('are given to those who come, and taken from the one that was idle for longest', async () => {
    const [first, second, third] = [await on.created(), await on.created(), await on.created()];
    await on.query(first, 'SELECT 1');
    await on.query(second, 'SELECT 1');
    await on.query(third, 'SELECT 1');
    expect([first, second, third].map(activity).map((each) => each === 'asleep')).toEqual([true, false, false]);
    const held = [await on.client(second), await on.client(third)];
    await expect(on.engine.connect(first)).rejects.toBeInstanceOf(DatabaseUnavailable);
    await held[0]!.end();
    await eventually(
      () =>
        on.query(first, 'SELECT 1').then(
          () => true,
          () => false,
        ),
      'there is a place',
    );
    await held[1]!.end();
    expect(app.get(ClusterNews).wakesTotal).toBe(4);
  });
});
