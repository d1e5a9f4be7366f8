import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { codeOf, DATABASES, Databases } from '../support/databases.js';
import { as, expectStatus, Make, send, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp({}, 'all');
const make = new Make(app);
const databases = new Databases(app);
const NOBODY = 'db_00000000000000000000000000';

beforeAll(() => databases.begin());
afterEach(() => jest.restoreAllMocks());

const list = async (query = '', key = databases.key): Promise<any[]> =>
  expectStatus(200, await app.fetch(`${DATABASES}?limit=100${query}`, as(key))).body.data as any[];

describe('POST /api/v1/databases', () => {
  it('returns a database that is ready soon after', async () => {
    const name = uniqueName('shop');
    const data = await databases.created({ name });
    expect(data).toEqual({
      id: expect.stringMatching(/^db_[0-9a-z]{26}$/),
      organization_id: databases.orgId,
      project_id: null,
      name,
      state: 'creating',
      engine: 'own',
      parent_id: null,
      in_production: false,
      error: null,
      read_only_because: null,
      activity: 'asleep',
      connections: { open: 0, limit: 100 },
      size_bytes: 0,
      quota_bytes: 100_000_000_000,
      last_active_at: null,
      host: 'api.test',
      port: expect.any(Number),
      database: expect.stringMatching(new RegExp(`^${name}-[a-z2-9]{8}$`)),
      restorable: { from: null, until: null },
      can: { branch: true, restore: true },
      created_at: expect.any(String),
      deleted_at: null,
      restorable_until: null,
    });
    expect(await databases.until(data.id, 'ready')).toMatchObject({ database: data.database, error: null });
    await eventually(async () => {
      const events = await make.sql('SELECT type, data FROM org_events WHERE org_id = $1', [databases.orgId]);
      const types = events.filter((event) => event.data.database_id === data.id).map(({ type }) => type as string);
      return ['database.created', 'database.ready'].every((type) => types.includes(type));
    }, 'its events are announced');
    const [audit] = await make.sql('SELECT * FROM audit_log WHERE target_id = $1', [data.id]);
    expect(audit).toMatchObject({ action: 'database.created', actor_user_id: databases.owner.user.id });
  });

  it('belongs to a project, and to an organization that the body names', async () => {
    const project = await databases.project();
    expect(await databases.created({ project_id: project.slug })).toMatchObject({ project_id: project.id });
    const org = await make.org(databases.owner, { plan: 'pro' });
    const other = await databases.created({ organization_id: org.slug });
    expect(other.organization_id).toBe(org.id);
    expect((await list(`&organization_id=${org.id}`)).map(({ id }) => id)).toEqual([other.id]);
    expect(codeOf(await databases.create({ organization_id: org.id, project_id: project.id }))).toEqual([
      404,
      'project_not_found',
    ]);
  });

  it('is failed, with a reason, when its data could not be made', async () => {
    const engine = app.get(DatabaseEngine);
    jest.spyOn(engine, 'create').mockRejectedValue(new Error('a secret of the host'));
    const { id } = await databases.created();
    await make.sql(`UPDATE database_operations SET attempts = 7, next_at = now() WHERE database_id = $1`, [id]);
    const failed = await databases.until(id, 'failed');
    expect(failed.error).toEqual({ code: 'internal_error', message: 'The service could not do this.' });
    jest.restoreAllMocks();
    expectStatus(204, await databases.delete(id));
    await expect(async () => {
      await databases.until(id, 'deleted');
    }).rejects.toThrow('404');
  });

  it.each<[string, object]>([
    ['name', { name: '' }],
    ['name', { name: 5 }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'x'.repeat(101) }],
    ['project_id', { project_id: 5 }],
    ['project_id', { project_id: null }],
    ['organization_id', { organization_id: 'x'.repeat(64) }],
    ['other', { other: 1 }],
  ])('returns 400 and names the field: %s (%#)', async (path, body) => {
    const answer = await databases.create(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 401 without a key, and 403 without the scope or the role', async () => {
    expect(codeOf(await app.post(DATABASES, { name: 'x' }))).toEqual([401, 'missing_api_key']);
    const reader = await make.key(databases.owner, { scopes: ['databases:read'] });
    expect(codeOf(await databases.create({}, reader))).toEqual([403, 'insufficient_scopes']);
    const outsider = new Databases(app);
    await outsider.begin();
    expect(codeOf(await outsider.create({ organization_id: databases.orgId }))).toEqual([403, 'org_access_denied']);
    expect(codeOf(await outsider.create({ organization_id: 'org_gone' }))).toEqual([403, 'org_access_denied']);
  });

  it('returns 404 for a project of another tenant as for one that never existed', async () => {
    const outsider = new Databases(app);
    await outsider.begin();
    const { id } = await outsider.project();
    const [one, other] = [await databases.create({ project_id: id }), await databases.create({ project_id: 'none' })];
    expect(codeOf(one)).toEqual([404, 'project_not_found']);
    expect(one.body.error).toEqual(other.body.error);
  });

  it('returns 409 for a name that another database has', async () => {
    const { name } = await databases.created();
    expect(codeOf(await databases.create({ name }))).toEqual([409, 'already_exists']);
  });

  it('creates exactly as many as the plan allows when 20 callers race', async () => {
    const racing = new Databases(app);
    await racing.begin('builder');
    await make.sql(
      `INSERT INTO databases SELECT (jsonb_populate_record(d, jsonb_build_object('id', 'db_' || n, 'org_id', $1::text,
         'name', 'n' || n, 'label', $1 || n, 'cluster_id', 'clu_' || $1 || n))).*
       FROM databases d, generate_series(1, 20) n
       WHERE d.id = (SELECT id FROM databases WHERE state = 'ready' LIMIT 1)`,
      [racing.orgId],
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => racing.create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map((answer) => codeOf(answer).join(' ')))).toEqual(new Set(['403 plan_limit_reached']));
    expect(refused[0]!.body.error).toMatchObject({ message: 'Database limit reached: Builder allows 25.' });
  });

  it('returns 402 when the credits are used up, and nothing is billed', async () => {
    const poor = new Databases(app);
    await poor.begin('free');
    expectStatus(201, await poor.create());
    const org = await make.org(poor.owner);
    expect(codeOf(await poor.create({ organization_id: org.id }))).toEqual([402, 'credits_exhausted']);
  });

  it('returns 402 when the spend cap is reached', async () => {
    const org = await make.org(databases.owner, { plan: 'builder' });
    const inOrg = as(databases.key, { headers: { 'x-service-org': org.id } });
    expectStatus(200, await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount: '0' }, inOrg));
    expect(codeOf(await databases.create({ organization_id: org.id }))).toEqual([402, 'spend_cap_reached']);
  });

  it('returns 503 when no host was seen lately', async () => {
    const answer = await withoutHosts(() => databases.create());
    expect(codeOf(answer)).toEqual([503, 'database_unavailable']);
    expect(answer.headers.get('retry-after')).not.toBeNull();
  });

  it('returns 403 while the operator has switched databases off', async () => {
    await make.sql("INSERT INTO feature_flags VALUES ('databases', false, 1, now(), 'a test')");
    await app.runSchedule('feature-flags');
    try {
      expect(codeOf(await databases.create())).toEqual([403, 'feature_disabled']);
    } finally {
      await make.sql("DELETE FROM feature_flags WHERE name = 'databases'");
      await app.runSchedule('feature-flags');
    }
  });

  it('creates once with an idempotency key, and nothing on a dry run', async () => {
    const before = (await list()).length;
    const body = { name: uniqueName('once') };
    const dry = await app.post(DATABASES, body, as(databases.key, { headers: { 'dry-run': 'true' } }));
    expect(dry.body.meta.dry_run).toBe(true);
    const headers = { 'idempotency-key': uniqueName('key') };
    const [one, other] = [
      await app.post(DATABASES, body, as(databases.key, { headers })),
      await app.post(DATABASES, body, as(databases.key, { headers })),
    ];
    expect(other.body.data.id).toBe(one.body.data.id);
    expect((await list()).length).toBe(before + 1);
  });
});

async function withoutHosts<T>(work: () => Promise<T>): Promise<T> {
  const hosts = await make.sql("UPDATE database_hosts SET unavailable = 'a test' RETURNING id");
  expect(hosts.length).toBeGreaterThan(0);
  try {
    return await work();
  } finally {
    await make.sql('UPDATE database_hosts SET unavailable = NULL');
  }
}

describe('GET /api/v1/databases', () => {
  it('lists newest first, in pages, by project, and deleted ones where asked for', async () => {
    const own = new Databases(app);
    await own.begin();
    const project = await own.project();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await own.ready({ project_id: project.id })).id);
    await own.ready();
    expect((await list(`&project_id=${project.slug}`, own.key)).map(({ id }) => id)).toEqual(ids);
    const first = await app.fetch(`${DATABASES}?limit=2&project_id=${project.id}`, as(own.key));
    expect(first.body.meta.has_more).toBe(true);
    const cursor = first.body.meta.next_cursor as string;
    const rest = await app.fetch(`${DATABASES}?limit=2&project_id=${project.id}&cursor=${cursor}`, as(own.key));
    expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    await own.deleted(ids[0]!);
    expect(await list(`&project_id=${project.id}`, own.key)).toHaveLength(2);
    expect(await list(`&project_id=${project.id}&include_deleted=true`, own.key)).toHaveLength(3);
  });

  it('returns 400, 401, 403 and 404', async () => {
    for (const query of ['cursor=x', 'limit=0', 'include_deleted=yes', 'organization_id=', 'state=ready'])
      expect((await app.fetch(`${DATABASES}?${query}`, as(databases.key))).status).toBeGreaterThanOrEqual(400);
    expect(codeOf(await app.fetch(`${DATABASES}?cursor=x`, as(databases.key)))).toEqual([400, 'invalid_request']);
    expect(codeOf(await app.fetch(DATABASES))).toEqual([401, 'missing_api_key']);
    const other = await make.key(databases.owner, { scopes: ['projects:read'] });
    expect(codeOf(await app.fetch(DATABASES, as(other)))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await app.fetch(`${DATABASES}?project_id=none`, as(databases.key)))).toEqual([
      404,
      'project_not_found',
    ]);
  });
});

describe('GET, PATCH and DELETE /api/v1/databases/:database_id, and undelete', () => {
  it('changes the given fields, and never the name of the database in URLs', async () => {
    const { id, database } = await databases.ready();
    const project = await databases.project();
    const name = uniqueName('new');
    expect(expectStatus(200, await databases.change(id, { name, project_id: project.slug })).body.data).toMatchObject({
      name,
      project_id: project.id,
      database,
      state: 'ready',
    });
    expect(expectStatus(200, await databases.change(id, { project_id: null })).body.data).toMatchObject({
      name,
      project_id: null,
    });
    expect(expectStatus(200, await databases.change(id, {})).body.data.name).toBe(name);
    expect(codeOf(await databases.change(id, { name: '' }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await databases.change(id, { name: null }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await databases.change(id, { state: 'ready' }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await databases.change(id, { project_id: 'none' }))).toEqual([404, 'project_not_found']);
    const taken = await databases.created();
    expect(codeOf(await databases.change(id, { name: taken.name }))).toEqual([409, 'already_exists']);
  });

  it('deletes, keeps the name free for others, and undoes it with the same database name', async () => {
    const { id, name, database } = await databases.ready();
    const deleted = await databases.deleted(id);
    expect(Date.parse(deleted.restorable_until) - Date.parse(deleted.deleted_at)).toBe(7 * 86_400_000);
    expectStatus(404, await databases.delete(id));
    const taker = await databases.ready({ name });
    expect(codeOf(await databases.undelete(id))).toEqual([409, 'already_exists']);
    await databases.deleted(taker.id);
    expect(expectStatus(200, await databases.undelete(id)).body.data).toMatchObject({
      state: 'ready',
      database,
      deleted_at: null,
      restorable_until: null,
    });
    expectStatus(200, await databases.undelete(id));
  });

  it('returns 401, 403 without scope or role, and 404 as for one that never existed', async () => {
    const { id } = await databases.ready();
    const member = await make.person();
    await make.member(databases.owner.organization, member, 'member');
    const ofMember = await make.key(member);
    const calls = (key: string | undefined, of: string): [string, Promise<any>][] => {
      const options = key === undefined ? {} : as(key);
      const change = { ...options, headers: { 'content-type': 'application/json', ...options.headers }, body: '{}' };
      return [
        ['GET', app.fetch(`${DATABASES}/${of}`, options)],
        ['PATCH', app.call('PATCH', `${DATABASES}/${of}`, change)],
        ['DELETE', app.call('DELETE', `${DATABASES}/${of}`, options)],
        ['undelete', app.call('POST', `${DATABASES}/${of}/undelete`, options)],
        ['purge', app.call('POST', `${DATABASES}/${of}/purge`, options)],
      ];
    };
    for (const [, answer] of calls(undefined, id)) expect(codeOf(await answer)).toEqual([401, 'missing_api_key']);
    const other = await make.key(databases.owner, { scopes: ['projects:read'] });
    for (const [, answer] of calls(other, id)) expect(codeOf(await answer)).toEqual([403, 'insufficient_scopes']);
    for (const [what, answer] of calls(ofMember, id))
      expect([what, (await answer).status]).toEqual([what, what === 'GET' || what === 'PATCH' ? 200 : 403]);
    const outsider = new Databases(app);
    await outsider.begin();
    const none = await Promise.all(calls(outsider.key, NOBODY).map(([, answer]) => answer));
    const foreign = await Promise.all(calls(outsider.key, id).map(([, answer]) => answer));
    expect(none.map(codeOf)).toEqual(none.map(() => [404, 'database_not_found']));
    expect(foreign.map(({ body }) => body.error)).toEqual(none.map(({ body }) => body.error));
  });

  it('returns 409 while an operation runs, and while it has branches', async () => {
    const engine = app.get(DatabaseEngine);
    let finish = (): void => undefined;
    const create = jest.spyOn(engine, 'create').mockImplementation(() => new Promise((resolve) => (finish = resolve)));
    const parent = await databases.created();
    expect(codeOf(await databases.delete(parent.id))).toEqual([409, 'database_busy']);
    await eventually(() => create.mock.calls.length > 0, 'its data is made');
    finish();
    await databases.until(parent.id, 'ready');
    jest.restoreAllMocks();
    const child = await databases.ready();
    await make.sql('UPDATE databases SET parent_id = $1 WHERE id = $2', [parent.id, child.id]);
    expect(codeOf(await databases.delete(parent.id))).toEqual([409, 'branch_has_children']);
    await databases.deleted(child.id);
    await databases.deleted(parent.id);
  });
});
