import { DataSource } from 'typeorm';
import { ProjectEnvService } from '../../src/modules/projects/project-env.service.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, type CallOptions, useApp } from '../support/test-app.js';

const PATH = '/api/v1/projects';
const SECRET = 'hunter2-of-the-tests';
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const app = useApp({}, 'api');
const make = new Make(app);
let ada: Person;
let key: string;
let project: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
});

beforeEach(async () => {
  project = expectStatus(201, await app.post(PATH, { name: 'Shop' }, as(key))).body.data.id as string;
});

const put = (body: object, options?: CallOptions, by = key): Promise<Answer> =>
  send(app, ['PUT', `${PATH}/${project}/env`], body, as(by, options));
const set = (...variables: object[]): Promise<Answer> => put({ variables });
const list = async (): Promise<Record<string, any>[]> =>
  expectStatus(200, await app.fetch(`${PATH}/${project}/env`, as(key))).body.data;
const unset = (query: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.call('DELETE', `${PATH}/${project}/env?${query}`, as(by, options));
const opened = async (target: 'production' | 'preview' | 'development', id: string): Promise<[string, string][]> => {
  const env = app.get(ProjectEnvService);
  return env.open(id, target, await env.sealedFor(id, target)).map(({ name, value }) => [name, value]);
};
const valuesFor = async (target: 'production' | 'preview' | 'development', id = project): Promise<object> =>
  Object.fromEntries(await opened(target, id));
const variable = (name: string, value: string, ...targets: string[]): object => ({
  name,
  value,
  targets: targets.length === 0 ? ['production'] : targets,
});
const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

describe('environment variables of a project', () => {
  it('returns plain values, and secrets without their value', async () => {
    const answer = await set(
      { name: 'API_TOKEN', value: SECRET, targets: ['preview', 'production'] },
      {
        name: 'PUBLIC_URL',
        value: 'https://shop.example',
        targets: ['production', 'preview', 'development'],
        secret: false,
      },
    );
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual([
      {
        name: 'API_TOKEN',
        targets: ['production', 'preview'],
        secret: true,
        updated_at: expect.stringMatching(RFC_3339),
      },
      {
        name: 'PUBLIC_URL',
        targets: ['production', 'preview', 'development'],
        secret: false,
        updated_at: expect.stringMatching(RFC_3339),
        value: 'https://shop.example',
      },
    ]);
    expect(await list()).toEqual(answer.body.data);
    expect(answer.text).not.toContain(SECRET);
  });

  it('passes the variables of the target to deploys, byte for byte', async () => {
    const value = 'line 1\nline 2 "quoted" = ünï 🎉 \u0001';
    await set(
      variable('A', value),
      variable('B', '', 'preview'),
      variable('__proto__', 'x', 'preview'),
      variable('A', 'for previews', 'preview'),
      { name: 'C', value: 'open', targets: ['development'], secret: false },
    );
    expect(await valuesFor('production')).toEqual({ A: value });
    expect(await opened('preview', project)).toEqual(
      expect.arrayContaining([
        ['A', 'for previews'],
        ['B', ''],
        ['__proto__', 'x'],
      ]),
    );
    expect(await valuesFor('development')).toEqual({ C: 'open' });
  });

  it('sets variables by name and target, and keeps the others', async () => {
    await set(variable('A', '1', 'production', 'preview'), variable('B', '2'));
    await set(variable('A', '3', 'preview'), { name: 'B', value: '4', targets: ['production'], secret: false });
    expect(await valuesFor('production')).toEqual({ A: '1', B: '4' });
    expect(await valuesFor('preview')).toEqual({ A: '3' });
    expect((await list()).map(({ name, targets, secret, value }) => [name, targets, secret, value])).toEqual(
      expect.arrayContaining([
        ['A', ['production'], true, undefined],
        ['A', ['preview'], true, undefined],
        ['B', ['production'], false, '4'],
      ]),
    );
  });

  it('deletes a variable in one target or in all, and ignores missing ones', async () => {
    await set(variable('A', '1', 'production', 'preview', 'development'), variable('B', '2'));
    const answer = await unset('name=A&target=preview');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await valuesFor('preview')).toEqual({});
    expect((await unset('name=A')).status).toBe(204);
    expect((await unset('name=A')).status).toBe(204);
    expect((await list()).map(({ name }) => name)).toEqual(['B']);
    for (const query of [
      '',
      'name=',
      'name=A-B',
      'name=A&target=staging',
      'name=A&target=',
      'name=A&other=1',
      'name=A&name=B',
      'name=PATH',
    ])
      expect([query, (await unset(query)).status]).toEqual([query, 400]);
  });

  it('deletes the variables with the project', async () => {
    await set(variable('A', SECRET));
    expect((await app.call('DELETE', `${PATH}/${project}`, as(key))).status).toBe(204);
    expect(await make.sql('SELECT name FROM project_env WHERE project_id = $1', [project])).toEqual([]);
    expect(codeOf(await app.fetch(`${PATH}/${project}/env`, as(key)))).toEqual([404, 'project_not_found']);
  });

  it('leaks no secret to the database, the log or the audit log', async () => {
    await set(variable('API_TOKEN', SECRET), {
      name: 'OPEN',
      value: `${SECRET}-open`,
      targets: ['preview'],
      secret: false,
    });
    expect(
      (
        await put(
          { variables: [variable('API_TOKEN', SECRET, 'preview')] },
          { headers: { 'idempotency-key': 'env-1' } },
        )
      ).status,
    ).toBe(200);
    expect((await put({ variables: [{ name: 'API_TOKEN', value: SECRET, targets: ['staging'] }] })).status).toBe(400);
    const tables = await make.sql<{ tablename: string }>("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    for (const { tablename } of tables) {
      // The dump is searched as text and as bytes: an encrypted value appears in neither.
      const rows = await app.get(DataSource).query<{ row: string }[]>(`SELECT t::text AS row FROM ${tablename} t`);
      const dump = rows.map(({ row }) => row).join('\n');
      expect([tablename, dump.includes(SECRET), dump.includes(Buffer.from(SECRET).toString('hex'))]).toEqual([
        tablename,
        false,
        false,
      ]);
    }
    expect(JSON.stringify(app.log())).not.toContain(SECRET);
    const entries = (
      await app.fetch(`/api/v1/orgs/${ada.organization.id}/audit-log?limit=100`, as(ada))
    ).body.data.filter(({ target, action }: any) => target.id === project && action === 'project.env_changed');
    expect(entries.map(({ details }: any) => details)).toEqual([
      { set: { preview: ['API_TOKEN'] } },
      { set: { production: ['API_TOKEN'], preview: ['OPEN'] } },
    ]);
    await unset('name=API_TOKEN&target=preview');
    const [latest] = (await app.fetch(`/api/v1/orgs/${ada.organization.id}/audit-log`, as(ada))).body.data;
    expect([latest.action, latest.details]).toEqual(['project.env_changed', { removed: { preview: ['API_TOKEN'] } }]);
  });

  it('rejects a secret that was copied to another row of the database', async () => {
    await set(variable('A', SECRET));
    const { id: other } = expectStatus(201, await app.post(PATH, { name: 'Thief' }, as(key))).body.data;
    await make.sql(
      `INSERT INTO project_env SELECT $2, target, name, value, false, updated_at, updated_by
        FROM project_env WHERE project_id = $1`,
      [project, other],
    );
    await expect(valuesFor('production', other as string)).rejects.toThrow();
    const answer = await app.fetch(`${PATH}/${String(other)}/env`, as(key));
    expect([answer.status, answer.text.includes(SECRET)]).toEqual([500, false]);
  });

  it('sets all variables of a request or none', async () => {
    expect(codeOf(await set(variable('GOOD', '1'), variable('BAD-NAME', '1')))).toEqual([400, 'invalid_request']);
    const dry = await put({ variables: [variable('A', '1')] }, { headers: { 'dry-run': 'true' } });
    expect([dry.status, dry.body.meta.dry_run, dry.body.data.length]).toEqual([200, true, 1]);
    expect((await unset('name=A', { headers: { 'dry-run': 'true' } })).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  it('holds at most 200 variables per target, under concurrent requests too', async () => {
    const many = (from: number, count: number): object[] =>
      Array.from({ length: count }, (_, index) => variable(`V${from + index}`, 'x'));
    expect((await set(...many(0, 195))).status).toBe(200);
    // So that each call finds a connection to the database open, and all of them meet.
    await Promise.all(Array.from({ length: 10 }, list));
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => set(...many(1_000 + index * 3, 3))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
    const refused = answers.find(({ status }) => status === 400)!;
    expect(refused.body.error.details).toEqual([
      {
        path: 'variables',
        in: 'body',
        code: 'max_variables',
        message: expect.stringContaining('production'),
        expected: { max: 200 },
      },
    ]);
    expect((await set(...many(0, 195))).status).toBe(200);
    expect((await set(...many(2_000, 200).map((one) => ({ ...one, targets: ['preview'] })))).status).toBe(200);
    expect((await set(...many(0, 201))).status).toBe(400);
  });

  it('limits a value to 64 KiB and a target to 1 MiB', async () => {
    const largest = 'ü'.repeat(32_768);
    expect((await set(variable('A', `${largest}x`))).body.error.details).toMatchObject([
      { path: 'variables[0].value', code: 'max_bytes' },
    ]);
    // With names of one byte: fifteen fit whole, the sixteenth not with its name.
    expect((await set(...Array.from('ABCDEFGHIJKLMNO', (name) => variable(name, largest)))).status).toBe(200);
    expect((await set(variable('P', largest))).body.error.details).toMatchObject([
      { path: 'variables', code: 'max_bytes', expected: { max: 1_048_576 } },
    ]);
    expect((await set(variable('P', largest.slice(8)))).status).toBe(200);
    expect((await set(variable('P', largest, 'preview'))).status).toBe(200);
    expect(((await valuesFor('production')) as Record<string, string>)['A']).toBe(largest);
    expect(codeOf(await set(...Array.from({ length: 40 }, (_, index) => variable(`X${index}`, largest))))).toEqual([
      413,
      'payload_too_large',
    ]);
  });

  it.each<[object, string]>([
    [{}, 'variables'],
    [{ variables: [] }, 'variables'],
    [{ variables: 'A=1' }, 'variables'],
    [{ variables: [null] }, 'variables[0]'],
    [{ variables: [{ value: '', targets: ['production'] }] }, 'variables[0].name'],
    ...[
      '',
      '1A',
      'A-B',
      'A B',
      'A=B',
      'Ä',
      'A\n',
      'x'.repeat(129),
      7,
      null,
      'PATH',
      'path',
      'PORT',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'HOME',
      'GIT_SSH_COMMAND',
      'npm_config_registry',
    ].map((name): [object, string] => [
      { variables: [{ name, value: 'v', targets: ['production'] }] },
      'variables[0].name',
    ]),
    ...[undefined, null, 7, {}, 'a\0b', '\ud800'].map((value): [object, string] => [
      { variables: [{ name: 'A', value, targets: ['production'] }] },
      'variables[0].value',
    ]),
    ...[undefined, null, [], 'production', ['staging'], ['production', 'production'], [null], [['production']]].map(
      (targets): [object, string] => [{ variables: [{ name: 'A', value: 'v', targets }] }, 'variables[0].targets'],
    ),
    ...[null, 'yes', 1].map((secret): [object, string] => [
      { variables: [{ name: 'A', value: 'v', targets: ['production'], secret }] },
      'variables[0].secret',
    ]),
    [{ variables: [variable('A', '1'), variable('A', '2', 'preview', 'production')] }, 'variables'],
    [{ variables: [{ name: 'A', value: 'v', targets: ['production'], type: 'x' }] }, 'variables[0].type'],
    [{ variables: [variable('A', '1')], replace: true }, 'replace'],
  ])('returns 400 for %j', async (body, path) => {
    const answer = await put(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details.map((fault: { path: string }) => fault.path)).toContain(path);
    expect(await list()).toEqual([]);
  });

  it('requires projects:read and projects:write, and returns 404 for another organization', async () => {
    const [reader, writer] = [
      await make.key(ada, { scopes: ['projects:read'] }),
      await make.key(ada, { scopes: ['projects:write'] }),
    ];
    const body = { variables: [variable('A', '1')] };
    expect([
      (await put(body, {}, reader)).status,
      (await unset('name=A', {}, reader)).status,
      (await app.fetch(`${PATH}/${project}/env`, as(writer))).status,
    ]).toEqual([403, 403, 403]);
    expect([
      (await put(body, {}, writer)).status,
      (await app.fetch(`${PATH}/${project}/env`, as(reader))).status,
      (await unset('name=A', {}, writer)).status,
    ]).toEqual([200, 200, 204]);

    const outsider = await make.key(await make.person());
    for (const call of [
      (id: string) => app.fetch(`${PATH}/${id}/env`, as(outsider)),
      (id: string) => send(app, ['PUT', `${PATH}/${id}/env`], body, as(outsider)),
      (id: string) => app.call('DELETE', `${PATH}/${id}/env?name=A`, as(outsider)),
    ]) {
      const [theirs, absent] = [await call(project), await call('prj_00000000000000000000000000')];
      expect(codeOf(theirs)).toEqual([404, 'project_not_found']);
      expect(theirs.text.replace(/req_\w+/, '…')).toBe(absent.text.replace(/req_\w+/, '…'));
    }
  });
});
