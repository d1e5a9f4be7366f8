import { as, expectStatus, Make } from '../support/make.js';
import { codeOf, DATABASES } from '../support/databases.js';
import { eventually, useApp } from '../support/test-app.js';
import { type OpenedDatabase, Wire } from '../support/wire.js';

const app = useApp({}, 'all');
const wire = new Wire(app);
const make = new Make(app);
const NOBODY = 'db_00000000000000000000000000';
const NO_CREDENTIAL = 'dbc_00000000000000000000000000';
let shop: OpenedDatabase;

beforeAll(async () => {
  await wire.begin();
  shop = await wire.database();
});

const path = (id: string, rest = ''): string => `${DATABASES}/${id}/credentials${rest}`;
const list = async (id: string): Promise<any[]> =>
  expectStatus(200, await app.fetch(path(id), as(wire.key))).body.data as any[];
const remove = (id: string, credential: string, key = wire.key): ReturnType<typeof app.call> =>
  app.call('DELETE', path(id, `/${credential}`), as(key));
const rotate = (id: string, credential: string, body: object, key = wire.key): ReturnType<typeof app.post> =>
  app.post(path(id, `/${credential}/rotate`), body, as(key));

describe('POST …/credentials', () => {
  it('returns the URL once, and keeps nothing that could sign in', async () => {
    const { data } = expectStatus(201, await wire.issue(shop.database.id, { access: 'reader', name: 'Reports' })).body;
    expect(data).toEqual({
      id: expect.stringMatching(/^dbc_[0-9a-z]{26}$/),
      name: 'Reports',
      access: 'reader',
      user: expect.stringMatching(/^reader_[0-9a-f]{12}$/),
      url: expect.stringMatching(
        new RegExp(`^postgres://${data.user}:[\\w-]{32}@[\\w.]+:\\d+/${shop.database.database}\\?sslmode=require$`),
      ),
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
    });
    const shown = Object.entries(data as object).filter(([name]) => name !== 'url');
    expect(await list(shop.database.id)).toContainEqual(Object.fromEntries(shown));
    const secret = new URL(data.url as string).password;
    const [row] = await make.sql('SELECT database_credentials::text AS row FROM database_credentials WHERE id = $1', [
      data.id,
    ]);
    expect(row!['row']).toContain('SCRAM-SHA-256$4096:');
    expect(row!['row']).not.toContain(secret);
    const audit = await make.sql("SELECT audit_log::text AS row FROM audit_log WHERE action LIKE 'database.cred%'");
    expect(audit.length).toBeGreaterThan(0);
    expect(JSON.stringify(audit)).not.toContain(secret);
  });

  it.each<[string, object]>([
    ['access', {}],
    ['access', { access: 'platform' }],
    ['name', { access: 'owner', name: '' }],
    ['other', { access: 'owner', other: 1 }],
  ])('returns 400 and names the field: %s', async (field, body) => {
    const answer = await wire.issue(shop.database.id, body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(field);
  });

  it('returns 403 beyond 100 of a database, exactly', async () => {
    const { id } = await wire.created();
    expectStatus(201, await wire.issue(id, { access: 'owner' }));
    await make.sql(
      `INSERT INTO database_credentials SELECT (jsonb_populate_record(c, jsonb_build_object(
         'id', 'dbc_' || n, 'username', 'owner_' || c.id || n))).*
       FROM database_credentials c, generate_series(1, 97) n WHERE c.database_id = $1`,
      [id],
    );
    const answers = await Promise.all([1, 2, 3, 4].map(() => wire.issue(id, { access: 'owner' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    expect(answers.map(codeOf)).toContainEqual([403, 'plan_limit_reached']);
  });
});

describe('a rotated credential', () => {
  it('works as long as the grace, and then its connections end', async () => {
    const { url, credential } = await wire.credential(shop.database.id);
    const client = await wire.client(url);
    let ended = false;
    client.on('end', () => (ended = true));
    const { data } = expectStatus(200, await rotate(shop.database.id, credential.id, { grace_seconds: 2 })).body;
    expect(data).toMatchObject({ access: 'owner', name: credential.name, expires_at: null });
    expect(data.id).not.toBe(credential.id);
    expect(await wire.refusal(data.url)).toBe('none');
    expect(ended).toBe(false);
    await eventually(() => ended, 'the old connection has ended', 8_000);
    expect(await wire.refusal(url)).toBe('28P01');
    expect(await wire.refusal(data.url)).toBe('none');
    expect((await list(shop.database.id)).map(({ id }) => id as string)).not.toContain(credential.id);
  });

  it('never lives longer than before', async () => {
    const { credential } = await wire.credential(shop.database.id);
    expectStatus(200, await rotate(shop.database.id, credential.id, { grace_seconds: 60 }));
    const expires = (): Promise<string> =>
      list(shop.database.id).then((all) => all.find(({ id }) => id === credential.id).expires_at as string);
    const first = await expires();
    expectStatus(200, await rotate(shop.database.id, credential.id, {}));
    expect(await expires()).toBe(first);
  });

  it.each([-1, 604_801, 1.5, 'x', null])('is refused with a grace of %j', async (grace_seconds) => {
    const { credential } = shop;
    expect(codeOf(await rotate(shop.database.id, credential.id, { grace_seconds }))).toEqual([400, 'invalid_request']);
  });
});

describe('a deleted credential', () => {
  it('ends its open connections, and opens none', async () => {
    const { url, credential } = await wire.credential(shop.database.id);
    const other = await wire.client(shop.url);
    const client = await wire.client(url);
    const failed = new Promise<{ code?: string }>((resolve) => client.once('error', resolve));
    expectStatus(204, await remove(shop.database.id, credential.id));
    expect((await failed).code).toBe('57P01');
    expect(await wire.refusal(url)).toBe('28P01');
    expect((await other.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await other.end();
  });
});

it('shows when a credential was last used', async () => {
  const { url, credential } = await wire.credential(shop.database.id);
  await (await wire.client(url)).end();
  await eventually(async () => {
    const found = (await list(shop.database.id)).find(({ id }) => id === credential.id);
    return found.last_used_at !== null;
  }, 'the use is recorded');
});

describe('every endpoint', () => {
  const calls: [string, (id: string, credential: string, key?: string) => Promise<any>, number][] = [
    ['GET', (id, _, key = wire.key) => app.fetch(path(id), as(key)), 200],
    ['POST', (id, _, key = wire.key) => wire.issue(id, { access: 'owner' }, key), 201],
    ['POST rotate', (id, credential, key = wire.key) => rotate(id, credential, {}, key), 200],
    ['DELETE', (id, credential, key = wire.key) => remove(id, credential, key), 204],
  ];

  it.each(calls)('%s returns 401, 403 and 404, and the same to another tenant', async (method, call, success) => {
    const { credential } = await wire.credential(shop.database.id);
    const anonymous = await call(shop.database.id, credential.id, 'none');
    expect(anonymous.status).toBe(401);
    const weak = await make.key(wire.owner, { scopes: ['projects:read'] });
    expect(codeOf(await call(shop.database.id, credential.id, weak))).toEqual([403, 'insufficient_scopes']);
    const missing = await call(NOBODY, credential.id);
    expect(codeOf(missing)).toEqual([404, 'database_not_found']);
    const outsider = await make.key(await make.person());
    const hidden = await call(shop.database.id, credential.id, outsider);
    expect(hidden.body.error).toEqual(missing.body.error);
    if (method === 'POST rotate' || method === 'DELETE') {
      expect(codeOf(await call(shop.database.id, NO_CREDENTIAL))).toEqual([404, 'database_credential_not_found']);
      const { id } = await wire.created();
      expect(codeOf(await call(id, credential.id))).toEqual([404, 'database_credential_not_found']);
    }
    expect((await call(shop.database.id, credential.id)).status).toBe(success);
  });
});
