import { DatabaseUnavailable } from '../../src/modules/databases/databases.errors.js';
import { Clusters } from '../../src/modules/databases/engine/own/clusters.js';
import { OwnEngine } from '../../src/modules/databases/engine/own/own-engine.js';
import { ClusterNews } from '../../src/modules/databases/engine/own/cluster-news.js';
import { SleepHooks } from '../../src/modules/databases/engine/own/sleep-hooks.js';
import { ClustersStore } from '../../src/modules/databases/persistence/clusters.store.js';
import { OrgDirectory } from '../../src/modules/orgs/org-directory.js';
import { PLAN_IDS, PLANS } from '../../src/modules/plans/plan.js';
import { Make } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';
import { EngineOf } from './engine-harness.js';

describe('the own engine', () => {
  const app = useApp({ DATABASE_FREEZE_AFTER_MS: '86400000', DATABASE_SLEEP_AFTER_MS: '86400000' }, 'databases');
  const on = new EngineOf(app);
  const activity = (id: string): string => app.get(Clusters).of(id).activity;

  it('creates a database that answers its owner', async () => {
    const id = await on.created();
    expect(await on.query(id, 'SELECT current_user AS who, current_database() AS name')).toEqual([
      { who: 'owner', name: 'app' },
    ]);
  });

  it.each(PLAN_IDS)('starts a database with the limits of %s', async (plan) => {
    const spies = [
      jest.spyOn(app.get(ClustersStore), 'orgOf').mockResolvedValue('org_of_the_plan'),
      jest.spyOn(app.get(OrgDirectory), 'planOf').mockResolvedValue(plan),
    ];
    try {
      const id = await on.created();
      await on.query(id, 'SELECT 1');
      await on.engine.sleep(id);
      const [shown] = await on.query(id, "SELECT current_setting('max_connections')::int AS connections");
      expect(shown!['connections']).toBeGreaterThan(PLANS[plan].databases.connections);
      await on.engine.drop(id);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  it('creates the same database once, however often it is asked', async () => {
    const id = await on.created();
    await on.query(id, 'CREATE TABLE kept (id int)');
    await on.engine.sleep(id);
    await on.engine.create(id);
    expect(await on.query(id, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 0 }]);
  });

  it('starts one server for thirty callers who come at once', async () => {
    const id = await on.created();
    const before = app.get(ClusterNews).wakesTotal;
    const connections = await Promise.all(Array.from({ length: 30 }, () => on.engine.connect(id)));
    expect(app.get(ClusterNews).wakesTotal - before).toBe(1);
    expect(app.get(Clusters).of(id).connections.count).toBe(30);
    for (const each of connections) each.destroy();
    await eventually(() => app.get(Clusters).of(id).connections.count === 0, 'they are gone');
  });

  it('keeps what was committed when it sleeps', async () => {
    const id = await on.created();
    await on.query(id, 'CREATE TABLE notes AS SELECT 7 AS number');
    await on.engine.sleep(id);
    expect(activity(id)).toBe('asleep');
    expect(await on.query(id, 'SELECT number FROM notes')).toEqual([{ number: 7 }]);
  });

  it('drops a database, and what a repeated call finds', async () => {
    const id = await on.created();
    await on.query(id, 'SELECT 1');
    await on.engine.drop(id);
    await on.engine.drop(id);
    await expect(on.engine.connect(id)).rejects.toBeInstanceOf(DatabaseUnavailable);
  });

  it('measures a database without waking it, and what was added', async () => {
    const id = await on.created();
    const empty = await on.engine.measure(id);
    expect(activity(id)).toBe('asleep');
    expect(empty.bytes).toBe(empty.emptyBytes);
    await on.query(id, "CREATE TABLE big AS SELECT repeat('x', 1000) FROM generate_series(1, 10000)");
    await on.engine.sleep(id);
    const { bytes } = await on.engine.measure(id);
    expect(activity(id)).toBe('asleep');
    expect(bytes - empty.emptyBytes).toBeGreaterThan(10_000_000n);
  });

  it('copies a database that then changes without its parent', async () => {
    const parent = await on.created();
    await on.query(parent, 'CREATE TABLE notes AS SELECT 1 AS number');
    const copy = on.newId();
    await on.engine.clone(parent, copy);
    await on.query(copy, 'UPDATE notes SET number = 2');
    expect(await on.query(parent, 'SELECT number FROM notes')).toEqual([{ number: 1 }]);
    expect(await on.query(copy, 'SELECT number FROM notes')).toEqual([{ number: 2 }]);
  });

  it('runs programs on the files of a database, while it runs and while it sleeps', async () => {
    const id = await on.created();
    await on.query(id, 'SELECT 1');
    const engine = app.get(OwnEngine);
    for (const isAwake of [true, false]) {
      const lines: string[] = [];
      const program = await engine.run(id, {
        command: () => ['/bin/sh', '-c', 'cat /data/PG_VERSION; cat; ls /archive >/dev/null'],
        output: { line: (_stream, text) => lines.push(text), bytes: 1_000 },
        sendsMore: true,
      });
      program.stdin.write('some\n');
      program.stdin.end('bytes\n');
      expect(await program.exited).toMatchObject({ cause: 'exit', exitStatus: 0 });
      expect(lines).toEqual(['18', 'some', 'bytes']);
      expect(engine.isAwake(id)).toBe(isAwake);
      await engine.sleep(id);
    }
  });

  it('archives what was written before it sleeps, and says so to those who asked', async () => {
    const id = await on.created();
    const seen: string[] = [];
    const note =
      (what: string) =>
      (clusterId: string): Promise<void> => {
        if (clusterId === id) seen.push(what);
        return Promise.resolve();
      };
    app.get(SleepHooks).add({
      beforeSleep: note('before'),
      afterStop: note('after'),
    });
    await on.query(id, 'CREATE TABLE notes AS SELECT 7 AS number');
    await on.engine.sleep(id);
    expect(seen).toEqual(['before', 'after']);
    const files: string[] = [];
    const program = await app.get(OwnEngine).run(id, {
      command: () => ['/bin/sh', '-c', 'ls /archive; ls /data/pg_wal/archive_status'],
      output: { line: (_stream, text) => files.push(text), bytes: 10_000 },
    });
    await program.exited;
    // Backups have taken it out of the archive.
    expect(files.filter((name) => name.endsWith('.ready') || /^[0-9A-F]{24}$/.test(name))).toEqual([]);
    const stored = await new Make(app).sql('SELECT cluster_id FROM database_wal_ranges WHERE cluster_id = $1', [id]);
    expect(stored.length).toBeGreaterThan(0);
  });

  it('notices a server that was killed, and wakes it with all that was committed', async () => {
    const id = await on.created();
    const client = await on.client(id);
    await client.query('CREATE TABLE notes (number int)');
    const ended = new Promise((resolve) => client.once('end', resolve));
    for (let number = 0; number < 20; number++) await client.query('INSERT INTO notes VALUES ($1)', [number]);
    await on.kill(id);
    await ended;
    await eventually(() => !app.get(Clusters).of(id).isAwake, 'the end is noticed');
    expect(await on.query(id, 'SELECT count(*)::int AS count FROM notes')).toEqual([{ count: 20 }]);
  });

  it('refuses writes, and then the owner, after a restart too', async () => {
    const id = await on.created();
    const client = await on.client(id);
    await client.query('CREATE TABLE notes AS SELECT 7 AS number');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await on.engine.restrict(id, 'read_only');
    await ended;
    for (let round = 0; round < 2; round++) {
      await expect(on.query(id, 'DELETE FROM notes')).rejects.toThrow('read-only transaction');
      await on.engine.sleep(id);
    }
    // A tenant who makes room says so.
    await on.query(id, 'BEGIN READ WRITE; DELETE FROM notes; COMMIT');
    await on.engine.restrict(id, 'reader_only');
    await expect(on.query(id, 'SELECT 1')).rejects.toThrow('pg_hba.conf');
    expect(await on.query(id, 'SELECT count(*)::int AS count FROM notes', 'reader')).toEqual([{ count: 0 }]);
    await on.engine.restrict(id, 'none');
    await on.query(id, 'INSERT INTO notes VALUES (8)');
  });

  it('ends the sessions that write, and no other', async () => {
    const id = await on.created();
    const [writer, other] = [await on.client(id), await on.client(id)];
    await writer.query('CREATE TABLE notes (number int)');
    await writer.query('BEGIN');
    await writer.query('INSERT INTO notes VALUES (1)');
    await other.query('BEGIN');
    await other.query('SELECT 1');
    const ended = new Promise((resolve) => writer.once('end', resolve));
    expect(await on.engine.endWriters(id)).toBe(1);
    await ended;
    expect((await other.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
    await other.end();
  });

  it('keeps tenants out of what is not theirs', async () => {
    const id = await on.created();
    await expect(on.query(id, 'SELECT 1', 'owner', 'postgres')).rejects.toThrow('pg_hba.conf');
    await expect(on.query(id, 'SELECT 1', 'platform', 'app')).rejects.toThrow('pg_hba.conf');
    await expect(on.query(id, 'ALTER DATABASE app CONNECTION LIMIT 1')).rejects.toThrow('must be owner');
    await expect(on.query(id, "COPY (SELECT 1) TO PROGRAM 'cat'")).rejects.toThrow('permission denied');
    await expect(on.query(id, "SET temp_file_limit = '1TB'")).rejects.toThrow('permission denied');
    await expect(on.query(id, 'CREATE EXTENSION file_fdw')).rejects.toThrow('permission denied');
    await expect(on.query(id, 'CREATE DATABASE other')).rejects.toThrow('permission denied');
  });

  it('gives the owner schemas, trusted extensions and statistics of statements', async () => {
    const id = await on.created();
    await on.query(
      id,
      'CREATE SCHEMA shop; CREATE EXTENSION pgcrypto; CREATE EXTENSION pg_trgm; CREATE TABLE t (a int)',
    );
    expect(await on.query(id, 'SELECT count(*) > 0 AS some FROM extensions.pg_stat_statements')).toEqual([
      { some: true },
    ]);
    expect(await on.query(id, 'SELECT * FROM t', 'reader')).toEqual([]);
    await expect(on.query(id, 'INSERT INTO t VALUES (1)', 'reader')).rejects.toThrow('permission denied');
  });
});
