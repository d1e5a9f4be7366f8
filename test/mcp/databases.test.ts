import type { Client } from '@modelcontextprotocol/client';
import { as, expectStatus, send } from '../support/make.js';
import { answerIn, connectMcp, errorIn } from '../support/mcp-clients.js';
import { useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';

const app = useApp({}, 'all');
const wire = new Wire(app);
let main: any;
let branch: string;

beforeAll(async () => {
  await wire.begin();
  main = await wire.ready({ name: 'shop' });
  await wire.query(main.id as string, { sql: 'CREATE TABLE people (id int)', access: 'write' });
});

async function call(name: string, given: object, options: Parameters<typeof connectMcp>[2] = {}): Promise<any> {
  const client: Client = await connectMcp(app, wire.key, options);
  try {
    return await client.callTool({ name, arguments: { ...given } });
  } finally {
    await client.close();
  }
}
const countIn = async (id: string): Promise<unknown> =>
  (await wire.query(id, { sql: 'SELECT count(*)::int FROM people' })).body.data.rows[0][0];
const insert = (id: string, more: object = {}) => ({ database_id: id, sql: 'INSERT INTO people VALUES (1)', ...more });

describe('the tools of databases', () => {
  it('describe the schema, read rows inside a boundary, and change nothing by reading', async () => {
    const { data } = answerIn(await call('describe_schema', { database_id: main.id }));
    expect(data.tables).toMatchObject([{ name: 'people', columns: [{ name: 'id' }] }]);
    const { content } = await call('query_database', { database_id: main.id, sql: 'SELECT 41 + 1' });
    expect(content[0].text).toMatch(/\nquoted-\w{24}\n.*"rows":\[\[42\]\].*\nquoted-\w{24}$/s);
    const written = await call('query_database', insert(main.id as string));
    expect(errorIn(written)).toMatchObject({ code: 'query_failed' });
    const widened = await call('query_database', insert(main.id as string, { access: 'write' }));
    expect(errorIn(widened)).toMatchObject({ code: 'invalid_request' });
    expect(await countIn(main.id as string)).toBe(0);
  });

  it('law 8: show no password of a credential, neither as it is nor as the server keeps it', async () => {
    const { url } = await wire.credential(main.id as string);
    const password = decodeURIComponent(new URL(url).password);
    expect(password.length).toBeGreaterThan(20);
    const id = { database_id: main.id };
    const results = [
      await call('list_databases', {}),
      await call('describe_schema', id),
      ...(await Promise.all(
        [
          'SELECT * FROM pg_roles',
          'SELECT * FROM pg_authid',
          'SELECT * FROM pg_shadow',
          'SELECT * FROM pg_settings',
        ].map((sql) => call('query_database', { ...id, sql })),
      )),
    ];
    for (const result of results) {
      const text = JSON.stringify(result);
      expect(text).not.toContain(password);
      expect(text).not.toContain('SCRAM-SHA-256$');
      expect(text).not.toContain(wire.key);
    }
    // The server keeps no passwords at all: the gateway in front of it checks them.
    const passwords = await call('query_database', {
      ...id,
      sql: 'SELECT count(*)::int AS roles, count(rolpassword)::int AS passwords FROM pg_authid WHERE rolcanlogin',
    });
    expect(passwords.content[0].text).toMatch(/"rows":\[\[[1-9]\d*,0\]\]/);
  });

  it('change a branch without asking, and not the database that it is a branch of', async () => {
    branch = answerIn(await call('create_branch', { database_id: main.id, name: 'shop-test' })).data.id;
    await wire.until(branch, 'ready');
    const listed = answerIn(await call('list_databases', {})).data;
    expect(listed).toContainEqual(expect.objectContaining({ id: branch, parent_id: main.id }));
    expect((await call('execute_sql', insert(branch))).isError).toBeUndefined();
    expect([await countIn(branch), await countIn(main.id as string)]).toEqual([1, 0]);
  });

  it('refuse to change a database that is no branch, whatever the caller confirms', async () => {
    const refused = await call('execute_sql', insert(main.id as string, { confirm: 'shop' }));
    expect(errorIn(refused)).toMatchObject({ code: 'invalid_request', details: [{ path: 'database_id' }] });
    expect(await countIn(main.id as string)).toBe(0);
  });

  it('refuse to change a branch that is attached to production', async () => {
    const project = await wire.project();
    const path = `/api/v1/databases/${branch}/attachments/${project.id}`;
    const before = await countIn(branch);
    expectStatus(200, await send(app, ['PUT', path], {}, as(wire.key)));
    const refused = await call('execute_sql', insert(branch, { confirm: 'shop-test' }));
    expect(errorIn(refused)).toMatchObject({ code: 'invalid_request', details: [{ path: 'database_id' }] });
    expect(JSON.stringify(refused)).toContain('attached to production');
    expect(await countIn(branch)).toBe(before);
    expectStatus(200, await send(app, ['PUT', path], { targets: ['preview'] }, as(wire.key)));
    expect((await call('execute_sql', insert(branch))).isError).toBeUndefined();
  });

  it('change it with writes=main once a person agrees, or the name is repeated', async () => {
    const query = '?writes=main';
    const asked: string[] = [];
    const agreeing = (agreed: boolean) => (message: string) => {
      asked.push(message);
      return agreed;
    };
    const declined = await call('execute_sql', insert(main.id as string), { query, agrees: agreeing(false) });
    expect(declined.content[0].text).toBe('The person did not agree. Nothing was changed.');
    const silent = await call('execute_sql', insert(main.id as string), { query });
    expect(errorIn(silent)).toMatchObject({ details: [{ path: 'confirm' }] });
    const wrong = await call('execute_sql', insert(main.id as string, { confirm: 'blog' }), { query });
    expect(errorIn(wrong)).toMatchObject({ details: [{ path: 'confirm' }] });
    expect(await countIn(main.id as string)).toBe(0);

    const agreed = await call('execute_sql', insert(main.id as string), { query, agrees: agreeing(true) });
    expect(agreed.isError).toBeUndefined();
    const confirmed = await call('execute_sql', insert(main.id as string, { confirm: 'shop' }), { query });
    expect(confirmed.isError).toBeUndefined();
    expect(asked[0]).toContain('Change the database "shop", which is no branch or is in production?');
    expect(await countIn(main.id as string)).toBe(2);
  });

  it('know no database of another tenant', async () => {
    const other = new Wire(app);
    await other.begin();
    const client = await connectMcp(app, other.key, { query: '?writes=main' });
    const result: any = await client.callTool({ name: 'execute_sql', arguments: insert(branch, { confirm: 'shop' }) });
    await client.close();
    expect(errorIn(result)).toMatchObject({ code: 'database_not_found', status: 404 });
  });
});
