import { QueryRoom } from '../../src/modules/databases/sql/query-room.js';
import { codeOf, DATABASES } from '../support/databases.js';
import { as, expectStatus } from '../support/make.js';
import { eventually, type TestApp } from '../support/test-app.js';
import type { Wire } from '../support/wire.js';

interface Queried {
  readonly app: TestApp;
  readonly wire: Wire;
  /** An empty database. */
  readonly databaseId: () => string;
}

/** What callers of queries can rely on, whatever keeps the database. */
export function queryCases({ app, wire, databaseId }: Queried): void {
  let id: string;

  beforeAll(async () => {
    id = databaseId();
    await write('CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL)');
    await write("INSERT INTO people SELECT n, 'name ' || n FROM generate_series(1, 2500) n");
    await write("CREATE TYPE mood AS ENUM ('good', 'bad')");
    await write('CREATE TABLE pets (owner int REFERENCES people DEFERRABLE INITIALLY DEFERRED)');
    await write('ANALYZE people');
  });

  const write = async (sql: string, params: unknown[] = []): Promise<any> =>
    expectStatus(200, await wire.query(id, { sql, params, access: 'write' })).body.data;
  const read = async (sql: string, body: object = {}): Promise<any> =>
    expectStatus(200, await wire.query(id, { sql, ...body })).body.data;

  describe('POST …/query', () => {
    it('returns columns with their types, and rows as JSON has them', async () => {
      const answer = await read(
        `SELECT id, name, id::int8 AS big, 1.50::numeric AS n, true AS yes, NULL AS none, '{"a":[1]}'::jsonb AS json,
           ARRAY[1, 2] AS list, 'good'::mood AS mood, 'NaN'::float8 AS nan, '2026-01-02 03:04:05+02'::timestamptz AS at
         FROM people WHERE id = $1 OR name = ANY($2) ORDER BY id`,
        { params: [7, ['name 9', 'a"b']] },
      );
      expect(answer).toEqual({
        columns: [
          { name: 'id', type: 'int4' },
          { name: 'name', type: 'text' },
          { name: 'big', type: 'int8' },
          { name: 'n', type: 'numeric' },
          { name: 'yes', type: 'bool' },
          { name: 'none', type: 'text' },
          { name: 'json', type: 'jsonb' },
          { name: 'list', type: 'int4[]' },
          { name: 'mood', type: 'mood' },
          { name: 'nan', type: 'float8' },
          { name: 'at', type: 'timestamptz' },
        ],
        rows: [
          [7, 'name 7', '7', '1.50', true, null, { a: [1] }, '{1,2}', 'good', 'NaN', '2026-01-02 01:04:05+00'],
          [9, 'name 9', '9', '1.50', true, null, { a: [1] }, '{1,2}', 'good', 'NaN', '2026-01-02 01:04:05+00'],
        ],
        row_count: 2,
        truncated: false,
        duration_ms: expect.any(Number),
        command: 'SELECT',
      });
    });

    it('writes with access to write, and commits what it returned', async () => {
      expect(await write("INSERT INTO people VALUES ($1, $2), (9002, 'b') RETURNING id", [9_001, 'a'])).toMatchObject({
        rows: [[9_001], [9_002]],
        row_count: 2,
        command: 'INSERT',
      });
      expect(await write('DELETE FROM people WHERE id > 9000')).toMatchObject({
        rows: [],
        row_count: 2,
        command: 'DELETE',
      });
      expect(await write('VACUUM people')).toMatchObject({ command: 'VACUUM' });
      expect(await write('CREATE INDEX CONCURRENTLY ON people (name)')).toMatchObject({ command: 'CREATE INDEX' });
      expect(await write('-- nothing')).toMatchObject({ columns: [], rows: [], command: null });
    });

    it('returns as many rows as wanted, and says that there are more', async () => {
      const exact = await read('SELECT id FROM people', { max_rows: 2_500 });
      expect([exact.rows.length, exact.truncated]).toEqual([2_500, false]);
      const fewer = await read('SELECT id FROM people ORDER BY id', { max_rows: 1_499 });
      expect([fewer.rows.length, fewer.truncated, fewer.rows.at(-1)]).toEqual([1_499, true, [1_499]]);
      const endless = await read('SELECT generate_series(1, 1000000000000)', { max_rows: 10 });
      expect([endless.rows.length, endless.truncated]).toEqual([10, true]);
      const inserted = await write("INSERT INTO people SELECT n, '' FROM generate_series(10001, 12000) n RETURNING id");
      expect([inserted.rows.length, inserted.truncated]).toEqual([1_000, true]);
      expect((await read('SELECT count(*)::int FROM people')).rows).toEqual([[4_500]]);
      await write('DELETE FROM people WHERE id > 10000');
    });

    it('returns at most 8 MiB, however large the rows are', async () => {
      const many = await read("SELECT repeat('x', 100000) FROM generate_series(1, 1000)");
      expect([many.rows.length, many.truncated]).toEqual([83, true]);
      const one = await read("SELECT repeat('x', 50000000)");
      expect([one.rows.length, one.truncated]).toEqual([0, true]);
      // What was returned is free again.
      expect((app.get(QueryRoom) as unknown as { bytes: number }).bytes).toBe(0);
    });

    it('returns 400 with what PostgreSQL says', async () => {
      const answer = await wire.query(id, { sql: 'SELECT nothing FROM people' });
      expect(codeOf(answer)).toEqual([400, 'query_failed']);
      expect(answer.body.error).toMatchObject({
        message: 'column "nothing" does not exist',
        details: { sql_state: '42703', position: 8 },
      });
      const state = async (sql: string, body: object = {}): Promise<string> => {
        const { error } = (await wire.query(id, { sql, ...body })).body;
        return error.details.sql_state as string;
      };
      expect(await state('SELECT 1; SELECT 2')).toBe('42601');
      expect(await state('SELECT $1::int', { params: [] })).toBe('08P01');
      expect(await state('SELECT $1::int', { params: ['x'] })).toBe('22P02');
      expect(await state('COPY people TO STDOUT')).toBe('0A000');
      expect(await state('COPY people FROM STDIN', { access: 'write' })).toBe('0A000');
      expect(await state('SELECT 1/0', { access: 'write' })).toBe('22012');
      expect(await state("INSERT INTO people VALUES (1, 'again')", { access: 'write' })).toBe('23505');
      expect(await state("INSERT INTO people VALUES (0, 'x')")).toMatch(/^(25006|42501)$/);
    });

    it('reports errors that come with the commit', async () => {
      const answer = await wire.query(id, { sql: 'INSERT INTO pets VALUES (777777)', access: 'write' });
      expect(answer.body.error).toMatchObject({ code: 'query_failed', details: { sql_state: '23503' } });
      expect((await read('SELECT count(*)::int FROM pets')).rows).toEqual([[0]]);
    });

    it('returns 408 for a statement that takes too long, and ends it', async () => {
      for (const sql of [
        'SELECT pg_sleep(60)',
        "SELECT set_config('statement_timeout', '0', false), pg_sleep(60)",
        'SELECT count(*) FROM generate_series(1, 100000000000) a',
      ]) {
        const answer = await wire.query(id, { sql, timeout_ms: 300 });
        expect([sql, ...codeOf(answer)]).toEqual([sql, 408, 'query_timeout']);
      }
      await eventually(async () => {
        const active = `SELECT count(*)::int FROM pg_stat_activity
          WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state = 'active'`;
        return (await write(active)).rows[0][0] === 0;
      }, 'nothing runs any more');
    });

    it('ends the statement of a caller who hangs up', async () => {
      const leave = new AbortController();
      const call = app
        .post(
          `${DATABASES}/${id}/query`,
          { sql: 'SELECT pg_sleep(29)', access: 'write', timeout_ms: 30_000 },
          as(wire.key, { signal: leave.signal }),
        )
        .catch(() => undefined);
      const running = async (): Promise<number> =>
        (
          await write(
            "SELECT count(*)::int FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(29)' AND state = 'active'",
          )
        ).rows[0][0] as number;
      await eventually(async () => (await running()) === 1, 'it runs');
      leave.abort();
      await call;
      await eventually(async () => (await running()) === 0, 'it was cancelled');
    });

    it('leaves nothing of a session to the next', async () => {
      await write("SELECT set_config('search_path', 'none', false)");
      await write('CREATE TEMP TABLE gone (id int)');
      expect((await read("SELECT to_regclass('gone'), count(*)::int FROM people")).rows).toEqual([[null, 2_500]]);
    });

    it('runs nothing on a dry run, and once with an idempotency key', async () => {
      const before = (await read('SELECT count(*)::int FROM people')).rows;
      const body = { sql: "INSERT INTO people VALUES (20001, 'once')", access: 'write' };
      const path = `${DATABASES}/${id}/query`;
      expectStatus(200, await app.post(path, body, as(wire.key, { headers: { 'dry-run': 'true' } })));
      expect((await read('SELECT count(*)::int FROM people')).rows).toEqual(before);
      const once = { headers: { 'idempotency-key': 'insert-once' } };
      expectStatus(200, await app.post(path, body, as(wire.key, once)));
      expectStatus(200, await app.post(path, body, as(wire.key, once)));
      expect((await write('DELETE FROM people WHERE id = 20001')).row_count).toBe(1);
    });

    it.each<[string, object]>([
      ['sql', { sql: '' }],
      ['sql', { sql: undefined }],
      ['sql', { sql: 'SELECT 1\0' }],
      ['sql', { sql: 'x'.repeat(200_001) }],
      ['access', { access: 'admin' }],
      ['params', { params: {} }],
      ['params', { params: new Array(1_001).fill(1) }],
      ['timeout_ms', { timeout_ms: 30_001 }],
      ['max_rows', { max_rows: 0 }],
      ['max_rows', { max_rows: 10_001 }],
    ])('returns 400 and names the field: %s (%#)', async (path, body) => {
      const answer = await wire.query(id, { sql: 'SELECT 1', ...body });
      expect(codeOf(answer)).toEqual([400, 'invalid_request']);
      expect(answer.body.error.details[0].path).toBe(path);
    });

    it('lets keys that may read only read', async () => {
      const reader = await wire.make.key(wire.owner, { scopes: ['databases:read'] });
      expectStatus(200, await wire.query(id, { sql: 'SELECT 1' }, reader));
      const refused = await wire.query(id, { sql: 'SELECT 1', access: 'write' }, reader);
      expect(codeOf(refused)).toEqual([403, 'insufficient_scopes']);
    });
  });

  describe('GET …/schema', () => {
    it('returns tables with their columns, indexes and sizes', async () => {
      const { data } = expectStatus(200, await app.fetch(`${DATABASES}/${id}/schema`, as(wire.key))).body;
      expect(data).toMatchObject({ schemas: ['public'], truncated: false });
      expect(data.tables.map(({ name }: any) => name)).toEqual(['people', 'pets']);
      expect(data.tables[0]).toMatchObject({
        schema: 'public',
        kind: 'table',
        row_estimate: 2_500,
        size_bytes: expect.any(Number),
        columns: [
          { name: 'id', type: 'integer', nullable: false, default: null },
          { name: 'name', type: 'text', nullable: false, default: null },
        ],
      });
      expect(data.tables[0].indexes).toContainEqual({
        name: 'people_pkey',
        unique: true,
        primary: true,
        definition: 'CREATE UNIQUE INDEX people_pkey ON public.people USING btree (id)',
      });
    });

    it('is bounded', async () => {
      const many = await wire.ready();
      const sql = `DO $$ BEGIN FOR n IN 1..310 LOOP EXECUTE format('CREATE TABLE t%s (id int)', n); END LOOP; END $$`;
      expectStatus(200, await wire.query(many.id, { sql, access: 'write', timeout_ms: 30_000 }));
      const { data } = expectStatus(200, await app.fetch(`${DATABASES}/${many.id}/schema`, as(wire.key))).body;
      expect([data.tables.length, data.truncated]).toEqual([300, true]);
    });
  });

  describe('GET …/stats', () => {
    it('returns what the database does', async () => {
      const { data } = expectStatus(200, await app.fetch(`${DATABASES}/${id}/stats`, as(wire.key))).body;
      expect(data).toMatchObject({ connections: expect.any(Number), deadlocks: 0, commits: expect.any(Number) });
      expect(data.size_bytes).toBeGreaterThan(5_000_000);
      expect(data.cache_hit_rate).toBeGreaterThan(0);
      expect(data.tables[0]).toMatchObject({ name: 'people', row_estimate: 2_500 });
      if (data.slow_statements !== null) {
        expect(data.slow_statements.length).toBeLessThanOrEqual(20);
        for (const each of data.slow_statements) expect(each).toMatchObject({ calls: expect.any(Number) });
      }
    });
  });
}
