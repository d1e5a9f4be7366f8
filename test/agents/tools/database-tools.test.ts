import type { ToolOutcome } from '../../../src/modules/agents/agent-tool.js';
import { as, expectStatus, send } from '../../support/make.js';
import { Databases } from '../../support/databases.js';
import { onThisMachine } from '../../support/patience.js';
import { useApp } from '../../support/test-app.js';
import { ToolCaller, type ToolCallOptions } from '../../support/tool-caller.js';
import { DatabaseData } from '../../databases/database-data.js';

jest.setTimeout(onThisMachine(60_000));

describe('the tools for databases', () => {
  const app = useApp({}, 'all');
  const databases = new Databases(app);
  const data = new DatabaseData(app, databases);
  let caller: ToolCaller;
  let database: any;
  let branch: any;
  beforeAll(async () => {
    await databases.begin();
    caller = new ToolCaller(app, databases.owner.organization, databases.owner);
    database = await data.marked();
    await data.query(database.id, 'INSERT INTO marks SELECT generate_series(1, 3)');
    await data.query(database.id, 'ALTER TABLE marks OWNER TO owner');
    branch = await data.branched(database.id, `${database.name} branch`);
  });

  const codeOf = async (kind: string, input: object, options?: ToolCallOptions): Promise<unknown> =>
    caller
      .call(kind, input, options)
      .catch((error: unknown) => error)
      .then((found) => (found as { code?: string }).code);
  const query = (sql: string, input: object = {}): Promise<any> =>
    caller.output('query_database', { database: database.id, sql, ...input });
  const execute = (on: any, sql: string, settings: object = {}): Promise<ToolOutcome> =>
    caller.call(
      'execute_sql',
      { database: on.id, sql },
      { settings: { databases: [database.name as string], ...settings } },
    );

  it('list databases with their branches, and describe their tables', async () => {
    const { databases: listed } = await caller.output('list_databases', {});
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: database.id, name: database.name, state: 'ready', read_only: false }),
        expect.objectContaining({ id: branch.id, branch_of: database.id }),
      ]),
    );
    await data.query(branch.id, "CREATE TABLE people (id int, name text NOT NULL DEFAULT 'x')");
    const described = await caller.output('describe_database', { database: branch.name });
    expect(described).toMatchObject({ database_id: branch.id, truncated: false });
    expect(described.tables.find(({ name }: { name: string }) => name === 'public.people')).toMatchObject({
      kind: 'table',
      columns: ['id integer', "name text NOT NULL DEFAULT 'x'::text"],
    });
    const one = await caller.output('describe_database', { database: branch.id, tables: ['marks'] });
    expect(one.tables.map(({ name }: { name: string }) => name)).toEqual(['public.marks']);
  });

  it('name the tables that do not fit into a description', async () => {
    await data.query(
      branch.id,
      `DO $$ BEGIN FOR n IN 1..250 LOOP
         EXECUTE format('CREATE TABLE wide_%s (%s)', n, (SELECT string_agg('column_' || i || ' text', ', ')
           FROM generate_series(1, 30) i));
       END LOOP; END $$`,
    );
    const described = await caller.output('describe_database', { database: branch.id });
    expect(described.truncated).toBe(true);
    expect(JSON.stringify(described).length).toBeLessThan(65_536);
    expect(described.more_tables.length).toBeGreaterThan(50);
    const [name] = described.more_tables;
    const asked = await caller.output('describe_database', { database: branch.id, tables: [name] });
    expect(asked.tables).toMatchObject([{ name }]);
  });

  it('query with parameters, by id and by name, and mark the run', async () => {
    expect(await query('SELECT n FROM marks WHERE n > $1 ORDER BY n', { params: [1] })).toEqual({
      database_id: database.id,
      command: 'SELECT',
      row_count: 2,
      columns: [{ name: 'n', type: 'int4' }],
      rows: [[2], [3]],
      truncated: false,
    });
    expect((await query('SELECT 1', { database: database.name })).rows).toEqual([[1]]);
    for (const kind of ['query_database', 'describe_database'])
      expect((await caller.tools(kind))[0]).toMatchObject({ effect: 'read', taints: true });
    expect((await caller.tools('execute_sql'))[0]).toMatchObject({ effect: 'once', taints: true, isOutward: true });
  });

  it('cut large results, large values, and JSON that cannot be stored', async () => {
    const many = await query("SELECT repeat('x', 1000) FROM generate_series(1, 1000)", { max_rows: 1_000 });
    expect(many).toMatchObject({ truncated: true, note: expect.any(String) });
    expect(many.rows.length).toBeGreaterThan(10);
    expect(JSON.stringify(many).length).toBeLessThan(65_536);
    const few = await query('SELECT n FROM marks ORDER BY n', { max_rows: 1 });
    expect(few).toMatchObject({ rows: [[1]], truncated: true });
    const [[text, json, half, deep]] = (
      await query(
        `SELECT repeat('ü', 100000), jsonb_build_array(repeat('x', 100000)), '{"a":"\\ud800"}'::json,
           (repeat('[', 1000) || repeat(']', 1000))::json`,
      )
    ).rows;
    expect(text).toMatch(/^ü+… \[cut\]$/);
    expect(text.length).toBeLessThan(5_000);
    expect(json).toMatch(/^\["x+… \[cut\]$/);
    expect(half).toBe('{"a":"\\ud800"}');
    expect(deep).toMatch(/^\[+\]+$/);
    expect((await query('SELECT \'{"a":[1]}\'::jsonb')).rows).toEqual([[{ a: [1] }]]);
  });

  it('explain to the model why a statement fails', async () => {
    expect(await caller.call('query_database', { database: database.id, sql: 'SELECT nothing FROM marks' })).toEqual({
      kind: 'failed',
      code: 'query_failed',
      message: expect.stringMatching(/"nothing" does not exist \(SQLSTATE 42703; position 8/),
    });
    const slow = { database: database.id, sql: 'SELECT pg_sleep(20)', timeout_ms: 100 };
    expect(await codeOf('query_database', slow)).toBe('query_timeout');
    const writing = caller.call(
      'execute_sql',
      { ...slow, database: branch.id },
      { settings: { databases: [branch.id] } },
    );
    await expect(writing).rejects.toMatchObject({ code: 'query_timeout', isUndone: true });
  });

  it('does not say that nothing happened when the connection ends within a statement', async () => {
    const sql = 'SELECT pg_terminate_backend(pg_backend_pid())';
    expect(await execute(branch, sql)).toMatchObject({ kind: 'unknown' });
    expect(await codeOf('query_database', { database: branch.id, sql })).toBe('query_failed');
  });

  it.each([
    'INSERT INTO marks VALUES (100)',
    'SELECT 1; DELETE FROM marks',
    'COMMIT',
    'SET TRANSACTION READ WRITE',
    'WITH x AS (DELETE FROM marks RETURNING n) SELECT * FROM x',
    'DO $$ BEGIN DELETE FROM marks; END $$',
    "COPY marks TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    'CREATE TABLE other (n int)',
  ])('refuse %s with read access', async (sql) => {
    const { kind } = await caller.call('query_database', { database: database.id, sql });
    if (sql !== 'COMMIT' && !sql.startsWith('SET')) expect(kind).toBe('failed');
    expect(await data.marks(database.id)).toEqual([1, 2, 3]);
  });

  it('change branches of what is listed, and nothing else unless the version allows it', async () => {
    const insert = 'INSERT INTO marks VALUES (50) RETURNING n';
    expect(await execute(branch, insert)).toMatchObject({ kind: 'succeeded', output: { rows: [[50]], row_count: 1 } });
    expect(await data.marks(branch.id)).toContain(50);
    expect(await execute(database, insert)).toMatchObject({ kind: 'failed', code: 'not_a_branch' });
    const other = await data.marked();
    for (const targets of ['branches', 'all'])
      expect(await execute(other, insert, { targets })).toMatchObject({ code: 'database_not_listed' });
    expect(await data.marks(other.id)).toEqual([]);
    expect(await data.marks(database.id)).toEqual([1, 2, 3]);
    const temporary = 'CREATE TEMPORARY TABLE t (n int)';
    expect(await execute(database, temporary, { targets: 'all' })).toMatchObject({ kind: 'succeeded' });
    const settings = { databases: [database.id as string] };
    expect((await caller.tools('execute_sql', settings))[0]!.needsApproval!({})).toBe(false);
    expect((await caller.tools('execute_sql', { ...settings, targets: 'all' }))[0]!.needsApproval!({})).toBe(true);
    const reading = { settings: { databases: [other.name as string] } };
    expect(await codeOf('query_database', { database: database.id, sql: 'SELECT 1' }, reading)).toBe(
      'database_not_listed',
    );
    expect(await codeOf('describe_database', { database: database.id }, reading)).toBe('database_not_listed');
  });

  it('do not change a branch that is attached to production', async () => {
    const project = await databases.project();
    const path = `/api/v1/databases/${branch.id}/attachments/${project.id}`;
    expectStatus(200, await send(app, ['PUT', path], { targets: ['production'] }, as(databases.key)));
    const before = await data.marks(branch.id);
    expect(await execute(branch, 'INSERT INTO marks VALUES (60)')).toMatchObject({
      kind: 'failed',
      code: 'not_a_branch',
      message: expect.stringContaining('attached to production'),
    });
    expect(await data.marks(branch.id)).toEqual(before);
    expectStatus(204, await app.call('DELETE', path, as(databases.key)));
    expect(await execute(branch, 'INSERT INTO marks VALUES (60)')).toMatchObject({ kind: 'succeeded' });
  });

  it('need the scopes of the caller, and know no deleted database and none of another organization', async () => {
    const others = new Databases(app);
    await others.begin();
    const foreign = await others.ready();
    const gone = await databases.ready();
    await databases.deleted(gone.id as string);
    for (const { id, name } of [foreign, gone])
      for (const each of [id, name] as string[]) {
        const settings = { databases: [each], targets: 'all' };
        expect(await codeOf('query_database', { database: each, sql: 'SELECT 1' })).toBe('database_not_found');
        expect(await codeOf('describe_database', { database: each })).toBe('database_not_found');
        expect(await codeOf('execute_sql', { database: each, sql: 'SELECT 1' }, { settings })).toBe(
          'database_not_found',
        );
      }
    const input = { database: branch.id, sql: 'SELECT 1' };
    expect(await codeOf('query_database', input, { scopes: ['ai:invoke'] })).toBe('insufficient_scopes');
    expect(await codeOf('list_databases', {}, { scopes: ['ai:invoke'] })).toBe('insufficient_scopes');
    expect(await codeOf('describe_database', input, { scopes: ['ai:invoke'] })).toBe('insufficient_scopes');
    const reader: ToolCallOptions = { scopes: ['databases:read'], settings: { databases: [branch.id] } };
    expect(await codeOf('execute_sql', input, reader)).toBe('insufficient_scopes');
  });

  it('make a version that names what the organization does not have invalid', async () => {
    const others = new Databases(app);
    await others.begin();
    const foreign = await others.created();
    const agentWith = (tools: object[]): ReturnType<typeof app.post> =>
      app.post('/api/v1/agents', { name: 'A', instructions: 'Go.', models: ['fake/small'], tools }, as(databases.key));
    const using = (...names: unknown[]): object => ({ name: 'query_database', settings: { databases: names } });
    const refused = expectStatus(400, await agentWith([using(database.name, foreign.id, 'nothing')]));
    expect(refused.body.error.details).toMatchObject([
      {
        path: 'tools[0].settings.databases[1]',
        code: 'exists',
        message: expect.stringContaining(foreign.id as string),
      },
      { path: 'tools[0].settings.databases[2]', code: 'exists' },
    ]);
    for (const settings of [{}, { databases: [] }, { databases: [1] }, { databases: [branch.id], targets: 'any' }])
      expectStatus(400, await agentWith([{ name: 'execute_sql', settings }]));
    const { id } = expectStatus(201, await agentWith([using(branch.name)])).body.data;
    const change = (body: object): ReturnType<typeof app.post> =>
      app.call('PATCH', `/api/v1/agents/${id}`, {
        ...as(databases.key, { headers: { 'content-type': 'application/json' } }),
        body: JSON.stringify(body),
      });
    expectStatus(400, await change({ tools: [using(foreign.name)] }));
    const gone = await databases.ready();
    expectStatus(200, await change({ tools: [using(gone.id)] }));
    await databases.deleted(gone.id as string);
    expectStatus(200, await change({ instructions: 'Go on.' }));
  });
});
