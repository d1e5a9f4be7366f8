import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { eventually, TestApp } from '../support/test-app.js';
import { EngineOf } from './engine-harness.js';

describe('the engine on a server of the operator', () => {
  let own: TestDatabase;
  let app: TestApp;
  let on: EngineOf;
  const ids: string[] = [];

  beforeAll(async () => {
    own = await createTestDatabase();
    app = new TestApp({ TENANT_DATABASES_URL: own.url }, 'databases');
    await app.start();
    on = new EngineOf(app);
  });

  afterAll(async () => {
    // Other test files have databases on this server too.
    for (const id of ids) await on.engine.drop(id);
    await app.stop();
    await own.drop();
  });

  async function created(): Promise<string> {
    const id = await on.created();
    ids.push(id);
    return id;
  }

  async function operator(sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: own.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('creates a database that its owner and reader reach, and nobody else', async () => {
    const [id, other] = [await created(), await created()];
    await on.engine.create(id);
    await on.query(id, 'CREATE TABLE notes AS SELECT 7 AS number');
    expect(await on.query(id, 'SELECT number FROM notes', 'reader')).toEqual([{ number: 7 }]);
    await expect(on.query(id, 'DELETE FROM notes', 'reader')).rejects.toThrow('permission denied');
    await expect(on.query(id, 'SELECT 1', 'platform')).rejects.toThrow('not one of a tenant');
    expect(await on.query(id, 'SELECT current_database() AS name')).toEqual([{ name: id }]);
    expect(await on.query(other, "SELECT to_regclass('notes') AS found")).toEqual([{ found: null }]);
    const privileges = await on.query(id, `SELECT has_database_privilege('${other}', 'CONNECT') AS may`);
    expect(privileges).toEqual([{ may: false }]);
    expect(on.engine.can).toEqual({ branch: false, restore: false });
  });

  it('measures what was added, and drops it all', async () => {
    const id = await created();
    const { emptyBytes } = await on.engine.measure(id);
    await on.query(id, "CREATE TABLE big AS SELECT repeat('x', 1000) FROM generate_series(1, 10000)");
    expect((await on.engine.measure(id)).bytes - emptyBytes).toBeGreaterThan(10_000_000n);
    await on.engine.drop(id);
    await on.engine.drop(id);
    expect(await operator(`SELECT 1 FROM pg_roles WHERE rolname LIKE '${id}%'`)).toEqual([]);
  });

  it('refuses writes, and then the owner', async () => {
    const id = await created();
    const client = await on.client(id);
    const ended = new Promise((resolve) => client.once('end', resolve));
    await on.engine.restrict(id, 'read_only');
    await ended;
    await expect(on.query(id, 'CREATE TABLE notes (number int)')).rejects.toThrow('read-only transaction');
    await on.engine.restrict(id, 'reader_only');
    await expect(on.query(id, 'SELECT 1')).rejects.toThrow('permission denied');
    expect(await on.query(id, 'SELECT 1 AS one', 'reader')).toEqual([{ one: 1 }]);
    await on.engine.restrict(id, 'none');
    await on.query(id, 'CREATE TABLE notes (number int)');
  });

  it('ends the session when the caller goes', async () => {
    const id = await created();
    const client = await on.client(id);
    await client.query("SET application_name = 'here'");
    const here = (): Promise<boolean> =>
      operator(`SELECT 1 FROM pg_stat_activity WHERE datname = '${id}' AND application_name = 'here'`).then(
        ({ length }) => length > 0,
      );
    expect(await here()).toBe(true);
    await client.end();
    await eventually(async () => !(await here()), 'the session ends');
  });
});
