import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const app = useApp({}, 'api');
const make = new Make(app);
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SHA = '0123456789abcdef0123456789abcdef01234567';
const ABSENT = 'dpl_00000000000000000000000000';

let ada: Person;
let key: string;
let project: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
});

beforeEach(async () => {
  project = await newProject();
});

async function newProject(by = key, body: object = {}): Promise<string> {
  return expectStatus(
    201,
    await app.post(
      '/api/v1/projects',
      { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop', ...body },
      as(by),
    ),
  ).body.data.id as string;
}
const deploy = (body: object = {}, by = key, id = project): Promise<Answer> =>
  app.post(`/api/v1/projects/${id}/deploys`, body, as(by));
const queued = async (body: object = {}, by = key, id = project): Promise<any> =>
  expectStatus(202, await deploy(body, by, id)).body.data;
const get = async (id: string, by = key): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/deploys/${id}`, as(by))).body.data;
const events = async (id: string): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/deploys/${id}/events`, as(key))).body.data;
const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];

describe('POST /api/v1/projects/:project_id/deploys', () => {
  it('returns 202 with the queued deploy, which can be read, listed and traced', async () => {
    const data = await queued({ branch: 'feature/cart' });
    expect(data).toEqual({
      id: expect.stringMatching(/^dpl_[0-9a-z]{26}$/),
      project_id: project,
      branch: 'feature/cart',
      type: 'preview',
      state: 'queued',
      live: false,
      url: expect.stringMatching(/^http:\/\/dpl-[0-9a-z]{26}\./),
      aliases: [],
      trigger: 'api',
      attempt: 0,
      phase_ms: {},
      created_at: expect.stringMatching(RFC_3339),
    });
    expect(await get(data.id)).toEqual(data);
    expect((await app.fetch(`/api/v1/projects/${project}/deploys`, as(key))).body.data).toEqual([data]);
    expect(await events(data.id)).toEqual([
      { at: expect.stringMatching(RFC_3339), kind: 'state', attempt: 0, to: 'queued', details: { trigger: 'api' } },
    ]);
  });

  it('is the last deploy in the list of projects, for callers who may see deploys', async () => {
    const list = async (by: string): Promise<any> =>
      (await app.fetch('/api/v1/projects', as(by))).body.data.find(({ id }: { id: string }) => id === project);
    expect(await list(key)).not.toHaveProperty('last_deploy');
    await queued({ branch: 'first' });
    const { id, state, type, branch, created_at: createdAt } = await queued({ branch: 'feature/cart' });
    expect((await list(key)).last_deploy).toEqual({ id, state, type, branch, created_at: createdAt });
    const blind = await make.key(ada, { scopes: ['projects:read'] });
    expect(await list(blind)).not.toHaveProperty('last_deploy');
  });

  it('deploys the production branch when no branch is given', async () => {
    const other = await newProject(key, { production_branch: 'trunk' });
    expect((await queued({}, key, other)).branch).toBe('trunk');
  });

  it('deploys a commit and returns its SHA from the start', async () => {
    expect((await queued({ commit: SHA })).commit).toEqual({ sha: SHA, message: '', author: '' });
  });

  it.each([
    [{ branch: '-x' }, 'branch'],
    [{ branch: 'a..b' }, 'branch'],
    [{ branch: 7 }, 'branch'],
    [{ branch: '' }, 'branch'],
    [{ type: 'staging' }, 'type'],
    [{ type: null }, 'type'],
    [{ force: 'yes' }, 'force'],
    [{ commit: 'abc' }, 'commit'],
    [{ commit: `${SHA} --upload-pack=x` }, 'commit'],
    [{ other: 1 }, 'other'],
  ])('returns 400 for %j and names the field', async (body, path) => {
    const answer = await deploy(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 409 when the project has no repository, and creates nothing', async () => {
    const bare = expectStatus(201, await app.post('/api/v1/projects', { name: 'bare' }, as(key))).body.data
      .id as string;
    const answer = await deploy({}, key, bare);
    expect(codeOf(answer)).toEqual([409, 'project_has_no_repository']);
    expect(answer.body.error).toMatchObject({ type: 'conflict_error', message: 'Project has no linked repository' });
    expect(await make.sql('SELECT id FROM deploys WHERE project_id = $1', [bare])).toEqual([]);
  });

  it('returns 404 for a project of another organization and for one that does not exist', async () => {
    const outsider = await make.key(await make.person());
    const theirs = await newProject(outsider);
    const [strange, absent] = [await deploy({}, key, theirs), await deploy({}, key, 'prj_00000000000000000000000000')];
    expect([codeOf(strange), codeOf(absent)]).toEqual([
      [404, 'project_not_found'],
      [404, 'project_not_found'],
    ]);
    expect(strange.text.replace(/req_\w+/, '')).toBe(absent.text.replace(/req_\w+/, ''));
  });

  it('returns 401 without a key and 403 without the scope', async () => {
    expect(codeOf(await app.post(`/api/v1/projects/${project}/deploys`, {}))).toEqual([401, 'missing_api_key']);
    const reader = await make.key(ada, { scopes: ['deploys:read', 'projects:read'] });
    expect(codeOf(await deploy({}, reader))).toEqual([403, 'insufficient_scopes']);
  });

  it('creates one deploy per idempotency key, and none for a dry run', async () => {
    const headers = { 'idempotency-key': uniqueName('key') };
    const path = `/api/v1/projects/${project}/deploys`;
    const [first, second] = [
      await app.post(path, {}, as(key, { headers })),
      await app.post(path, {}, as(key, { headers })),
    ];
    expect(second.body.data.id).toBe(first.body.data.id);
    const rehearsed = await app.post(path, { branch: 'other' }, as(key, { headers: { 'dry-run': 'true' } }));
    expect([rehearsed.status, rehearsed.body.meta.dry_run]).toEqual([202, true]);
    expect((await app.fetch(`${path}?branch=other`, as(key))).body.data).toEqual([]);
  });

  it('writes to the audit log of the organization', async () => {
    const { id } = await queued({ branch: 'audited' });
    const { data } = (await app.fetch(`/api/v1/orgs/${ada.organization.id}/audit-log`, as(key))).body;
    expect(data[0]).toMatchObject({
      action: 'deploy.requested',
      target: { type: 'deploy', id },
      details: { project_id: project, branch: 'audited', type: 'preview' },
    });
  });
});

describe('a production deploy', () => {
  it('returns 403 with the smallest plan that includes production', async () => {
    const poor = await make.person();
    const by = await make.key(poor);
    const answer = await deploy({ type: 'production' }, by, await newProject(by));
    expect(codeOf(answer)).toEqual([403, 'feature_not_in_plan']);
    expect(answer.body.error).toMatchObject({
      type: 'authorization_error',
      details: { feature: 'production_deploys', plan: 'free', smallest_plan: 'builder' },
      hint: expect.stringContaining('/pricing'),
    });
    expect(await make.sql('SELECT id FROM deploys WHERE org_id = $1', [poor.organization.id])).toEqual([]);
  });

  it.each(['builder', 'pro', 'enterprise'] as const)('is accepted on plan %s', async (plan) => {
    const by = await make.key(await make.person({ plan }));
    expect((await queued({ type: 'production' }, by, await newProject(by))).type).toBe('production');
  });

  it('requires the scope deploys:production as well', async () => {
    const narrow = await make.key(ada, { scopes: ['deploys:write'] });
    const answer = await deploy({ type: 'production' }, narrow);
    expect(codeOf(answer)).toEqual([403, 'insufficient_scopes']);
    expect(answer.body.error.details.missing_scopes).toEqual(['deploys:production']);
    expect((await deploy({}, narrow)).status).toBe(202);
  });
});

describe('queued deploys', () => {
  it('are skipped for a newer one of the same branch and type only', async () => {
    const [older, otherBranch, otherType] = [
      await queued({ branch: 'a' }),
      await queued({ branch: 'b' }),
      await queued({ branch: 'a', type: 'production' }),
    ];
    const newer = await queued({ branch: 'a' });
    expect(await get(older.id)).toMatchObject({ state: 'skipped', finished_at: expect.stringMatching(RFC_3339) });
    expect((await events(older.id)).at(-1)).toMatchObject({
      from: 'queued',
      to: 'skipped',
      details: { superseded_by: newer.id },
    });
    for (const { id } of [otherBranch, otherType, newer]) expect((await get(id)).state).toBe('queued');
  });

  it('are reduced to one under concurrent requests', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => queued({ branch: 'rush' })));
    const states = await Promise.all(made.map(async ({ id }) => (await get(id)).state as string));
    expect(states.filter((state) => state === 'queued')).toHaveLength(1);
    expect(states.filter((state) => state === 'skipped')).toHaveLength(7);
  });
});

describe('the limit of queued deploys', () => {
  it('returns 429 except for a deploy that replaces an older one', async () => {
    const by = await make.key(await make.person({ plan: 'builder' }));
    const theirs = await newProject(by);
    await queued({ branch: 'first' }, by, theirs);
    await make.sql(
      `INSERT INTO deploys SELECT (jsonb_populate_record(d, jsonb_build_object('id', 'dpl_' || n,
        'branch', 'b' || n))).* FROM deploys d, generate_series(1, 99) n WHERE d.project_id = $1`,
      [theirs],
    );
    const answer = await deploy({ branch: 'one-more' }, by, theirs);
    expect(codeOf(answer)).toEqual([429, 'concurrency_limit_exceeded']);
    expect([answer.headers.get('retry-after'), answer.body.error.details]).toEqual([
      '30',
      { policy: 'deploys_going_on', limit: 100, remaining: 0 },
    ]);
    expect((await deploy({ branch: 'first' }, by, theirs)).status).toBe(202);
  });
});

describe('GET /api/v1/projects/:project_id/deploys', () => {
  it('lists deploys newest first, with pages and filters by branch, type and state', async () => {
    const ids: string[] = [];
    for (const body of [{ branch: 'a' }, { branch: 'b' }, { branch: 'a', type: 'production' }])
      ids.unshift((await queued(body)).id as string);
    const list = async (query: string): Promise<Answer> =>
      expectStatus(200, await app.fetch(`/api/v1/projects/${project}/deploys?${query}`, as(key)));
    const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);
    const first = await list('limit=2');
    expect([idsOf(first), first.body.meta.has_more]).toEqual([ids.slice(0, 2), true]);
    expect(idsOf(await list(`limit=2&cursor=${first.body.meta.next_cursor}`))).toEqual(ids.slice(2));
    expect(idsOf(await list('branch=b'))).toEqual([ids[1]]);
    expect(idsOf(await list('type=production'))).toEqual([ids[0]]);
    expect(idsOf(await list('state=ready'))).toEqual([]);
    for (const query of ['limit=0', 'type=x', 'state=x', 'branch=..', 'cursor=x']) {
      expect(codeOf(await app.fetch(`/api/v1/projects/${project}/deploys?${query}`, as(key)))).toEqual([
        400,
        'invalid_request',
      ]);
    }
  });
});

describe('POST /api/v1/deploys/:deploy_id/cancel', () => {
  const cancel = (id: string, by = key): Promise<Answer> => app.call('POST', `/api/v1/deploys/${id}/cancel`, as(by));

  it('cancels a queued deploy once', async () => {
    const { id } = await queued();
    const answer = expectStatus(200, await cancel(id));
    expect(answer.body.data).toMatchObject({ id, state: 'canceled', finished_at: expect.stringMatching(RFC_3339) });
    const again = await cancel(id);
    expect(codeOf(again)).toEqual([409, 'deploy_already_over']);
    expect(again.body.error.details).toEqual({ state: 'canceled' });
    expect((await events(id)).at(-1)).toMatchObject({
      from: 'queued',
      to: 'canceled',
      details: { reason: 'asked', user_id: ada.user.id },
    });
  });

  it('cancels once under concurrent requests', async () => {
    const { id } = await queued();
    const answers = await Promise.all(Array.from({ length: 5 }, () => cancel(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await events(id)).filter(({ to }) => to === 'canceled')).toHaveLength(1);
  });

  it('changes nothing in a dry run', async () => {
    const { id } = await queued();
    expect(
      (await app.call('POST', `/api/v1/deploys/${id}/cancel`, as(key, { headers: { 'dry-run': 'true' } }))).body.data
        .state,
    ).toBe('canceled');
    expect((await get(id)).state).toBe('queued');
  });
});

describe('access to a deploy', () => {
  const ROUTES = [
    ['GET', ''],
    ['GET', '/events'],
    ['GET', '/logs'],
    ['POST', '/cancel'],
    ['POST', '/promote'],
  ] as const;

  it.each(ROUTES)(
    '%s …%s returns the same 404 for another organization and for a missing deploy, and 401 and 403 without access',
    async (method, rest) => {
      const { id } = await queued();
      const outsider = await make.key(await make.person({ plan: 'enterprise' }));
      const [strange, absent] = [
        await app.call(method, `/api/v1/deploys/${id}${rest}`, as(outsider)),
        await app.call(method, `/api/v1/deploys/${ABSENT}${rest}`, as(outsider)),
      ];
      expect(codeOf(strange)).toEqual([404, 'deploy_not_found']);
      expect(strange.text.replace(/req_\w+/, '')).toBe(absent.text.replace(/req_\w+/, ''));
      expect(codeOf(await app.call(method, `/api/v1/deploys/${id}${rest}`))).toEqual([401, 'missing_api_key']);
      const narrow = await make.key(ada, { scopes: ['projects:read'] });
      expect(codeOf(await app.call(method, `/api/v1/deploys/${id}${rest}`, as(narrow)))).toEqual([
        403,
        'insufficient_scopes',
      ]);
      expect((await get(id)).state).toBe('queued');
    },
  );

  it('refuses to promote a deploy that is not ready, and to roll back when nothing was live', async () => {
    const { id } = await queued({ type: 'production' });
    const promoted = await app.call('POST', `/api/v1/deploys/${id}/promote`, as(key));
    expect(codeOf(promoted)).toEqual([409, 'deploy_not_ready']);
    expect(promoted.body.error.details).toEqual({ state: 'queued', files_removed: false });
    const path = `/api/v1/projects/${project}/rollback`;
    expect(codeOf(await app.post(path, {}, as(key)))).toEqual([409, 'no_earlier_deploy']);
    expect(codeOf(await app.post(path, { deploy_id: id }, as(key)))).toEqual([409, 'deploy_not_ready']);
    expect(codeOf(await app.post(path, { deploy_id: ABSENT }, as(key)))).toEqual([404, 'deploy_not_found']);
    expect(
      codeOf(await app.post(path, { deploy_id: (await queued({}, key, await newProject())).id }, as(key))),
    ).toEqual([404, 'deploy_not_found']);
    expect(codeOf(await app.post(path, { deploy_id: 7 }, as(key)))).toEqual([400, 'invalid_request']);
  });

  it('requires the production scope and a plan with production to promote and roll back', async () => {
    const { id } = await queued();
    const path = `/api/v1/projects/${project}/rollback`;
    for (const scopes of [['deploys:write'], ['deploys:production']]) {
      const narrow = await make.key(ada, { scopes });
      expect(codeOf(await app.call('POST', `/api/v1/deploys/${id}/promote`, as(narrow)))).toEqual([
        403,
        'insufficient_scopes',
      ]);
      expect(codeOf(await app.post(path, {}, as(narrow)))).toEqual([403, 'insufficient_scopes']);
    }
    const poor = await make.key(await make.person());
    const theirs = await newProject(poor);
    expect(
      codeOf(await app.call('POST', `/api/v1/deploys/${(await queued({}, poor, theirs)).id}/promote`, as(poor))),
    ).toEqual([403, 'feature_not_in_plan']);
    expect(codeOf(await send(app, ['POST', `/api/v1/projects/${theirs}/rollback`], {}, as(poor)))).toEqual([
      403,
      'feature_not_in_plan',
    ]);
  });
});
