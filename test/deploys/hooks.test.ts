import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const app = useApp({}, 'api');
const make = new Make(app);

let ada: Person;
let key: string;
let project: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'builder' });
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
const hooksOf = (id = project): string => `/api/v1/projects/${id}/deploy-hooks`;
const create = (body: object = {}, by = key, id = project): Promise<Answer> =>
  app.post(hooksOf(id), { name: 'Content changed', branch: 'main', ...body }, as(by));
const created = async (body: object = {}, by = key, id = project): Promise<{ id: string; path: string; data: any }> => {
  const { data } = expectStatus(201, await create(body, by, id)).body;
  return { id: data.id as string, path: new URL(data.url as string).pathname, data };
};
const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];
const deploys = async (id = project, by = key): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/projects/${id}/deploys`, as(by))).body.data as any[];

describe('POST /api/v1/projects/:project_id/deploy-hooks', () => {
  it('returns the URL once, and stores only its hash', async () => {
    const { data, path } = await created({ branch: 'docs/next' });
    expect(data).toEqual({
      id: expect.stringMatching(/^dhk_[0-9a-z]{26}$/),
      project_id: project,
      name: 'Content changed',
      branch: 'docs/next',
      production: true,
      created_at: expect.any(String),
      url: expect.stringMatching(/^http:\/\/api\.test\/webhooks\/deploys\/dhk_[0-9a-z]{26}\/svc_hook_[0-9A-Za-z]{39}$/),
    });
    const listed = (await app.fetch(hooksOf(), as(key))).body.data;
    expect(listed).toEqual([{ ...data, url: undefined }]);
    expect(listed[0]).not.toHaveProperty('url');
    const secret = path.split('/').at(-1)!;
    const [row] = await make.sql('SELECT * FROM deploy_hooks WHERE id = $1', [data.id]);
    expect(JSON.stringify(row)).not.toContain(secret);
    const [audited] = await make.sql(
      "SELECT details FROM audit_log WHERE action = 'deploy_hook.created' AND target_id = $1",
      [data.id],
    );
    expect(audited).toEqual({ details: { project_id: project, name: 'Content changed', branch: 'docs/next' } });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ branch: '-x' }, 'branch'],
    [{ branch: undefined }, 'branch'],
    [{ secret: 'mine' }, 'secret'],
  ])('returns 400 for %j and names the field', async (body, path) => {
    const answer = await create(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 400 for the 21st hook of a project', async () => {
    for (let count = 0; count < 20; count++) await created();
    const answer = await create();
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].code).toBe('max_hooks');
  });

  it('returns 401 without a key, 403 without the scopes and 404 for the project of a outsider', async () => {
    expect(codeOf(await app.post(hooksOf(), { name: 'x', branch: 'main' }))).toEqual([401, 'missing_api_key']);
    const reader = await make.key(ada, { scopes: ['deploys:read', 'projects:read'] });
    expect(codeOf(await create({}, reader))).toEqual([403, 'insufficient_scopes']);
    const previews = await make.key(ada, { scopes: ['deploys:read', 'deploys:write', 'projects:read'] });
    expect(codeOf(await create({ branch: 'main' }, previews))).toEqual([403, 'insufficient_scopes']);
    const outsider = await make.key(await make.person());
    expect(codeOf(await create({}, outsider))).toEqual([404, 'project_not_found']);
    expect(codeOf(await app.fetch(hooksOf(), as(outsider)))).toEqual([404, 'project_not_found']);
  });
});

describe('DELETE /api/v1/projects/:project_id/deploy-hooks/:hook_id', () => {
  it('ends the URL at once, and returns 404 for a hook that is not of the project', async () => {
    const { id, path } = await created();
    const other = await newProject();
    expect(codeOf(await app.call('DELETE', `${hooksOf(other)}/${id}`, as(key)))).toEqual([
      404,
      'deploy_hook_not_found',
    ]);
    const outsider = await make.key(await make.person());
    expect(codeOf(await app.call('DELETE', `${hooksOf()}/${id}`, as(outsider)))).toEqual([404, 'project_not_found']);
    expect((await app.call('DELETE', `${hooksOf()}/${id}`, as(key))).status).toBe(204);
    expect(codeOf(await app.call('POST', path))).toEqual([404, 'deploy_hook_not_found']);
    expect(codeOf(await app.call('DELETE', `${hooksOf()}/${id}`, as(key)))).toEqual([404, 'deploy_hook_not_found']);
    expect(await deploys()).toEqual([]);
  });
});

describe('POST /webhooks/deploys/:hook_id/:secret', () => {
  it('queues a deploy of the branch without a key, whatever the body is', async () => {
    const { id, path } = await created();
    const answer = expectStatus(
      202,
      await app.call('POST', path, { headers: { 'content-type': 'text/xml' }, body: '<changed' }),
    );
    const [deploy] = await deploys();
    expect(answer.body.data).toEqual({ deploy_id: deploy.id, state: 'queued' });
    expect(deploy).toMatchObject({ branch: 'main', type: 'production', trigger: 'hook' });
    const [hook] = (await app.fetch(hooksOf(), as(key))).body.data as any[];
    expect(hook.last_used_at).toEqual(expect.any(String));
    const [audited] = await make.sql(
      "SELECT details, actor_user_id FROM audit_log WHERE action = 'deploy.requested' AND target_id = $1",
      [deploy.id],
    );
    expect(audited).toMatchObject({ details: { hook_id: id, type: 'production' }, actor_user_id: null });
  });

  it('creates a preview for another branch, in a plan without production, and for a creator who may not', async () => {
    const { path } = await created({ branch: 'docs' });
    expectStatus(202, await app.call('POST', path));
    expect((await deploys())[0]).toMatchObject({ branch: 'docs', type: 'preview' });

    const free = await make.key(await make.person());
    const theirs = await newProject(free);
    expectStatus(202, await app.call('POST', (await created({}, free, theirs)).path));
    expect((await deploys(theirs, free))[0]).toMatchObject({ branch: 'main', type: 'preview' });

    const previews = await make.key(ada, { scopes: ['deploys:read', 'deploys:write', 'projects:read'] });
    const later = await created({ branch: 'later' }, previews);
    await app.call('PATCH', `/api/v1/projects/${project}`, {
      ...as(key, { headers: { 'content-type': 'application/json' } }),
      body: JSON.stringify({ production_branch: 'later' }),
    });
    expectStatus(202, await app.call('POST', later.path));
    expect((await deploys())[0]).toMatchObject({ branch: 'later', type: 'preview' });
  });

  it('gives a wrong secret, the secret of another hook and an unknown id the same answer', async () => {
    const [one, two] = [await created(), await created()];
    const secretOf = (path: string): string => path.split('/').at(-1)!;
    const wrong = [
      `/webhooks/deploys/${one.id}/${secretOf(two.path)}`,
      `/webhooks/deploys/${one.id}/x`,
      `/webhooks/deploys/dhk_00000000000000000000000000/${secretOf(one.path)}`,
      `/webhooks/deploys/' OR 1=1/${secretOf(one.path)}`,
    ];
    const answers = await Promise.all(wrong.map((path) => app.call('POST', encodeURI(path))));
    const texts = new Set(answers.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, '')}`));
    expect([...texts]).toEqual([expect.stringContaining('deploy_hook_not_found')]);
    expect(await deploys()).toEqual([]);
  });

  it('refuses a link preview with 405 and never shows the secret in an answer or in the log', async () => {
    const { path } = await created();
    const secret = path.split('/').at(-1)!;
    for (const method of ['GET', 'HEAD', 'PUT']) {
      const answer = await app.call(method, path);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      expect(answer.text).not.toContain(secret);
    }
    await app.call('POST', `${path}/more`);
    await app.call('POST', `/webhooks/deploys/${secret}`);
    expectStatus(202, await app.call('POST', path));
    expect(await deploys()).toHaveLength(1);
    expect(JSON.stringify(app.log())).not.toContain(secret);
    expect(app.log()).toContainEqual(
      expect.objectContaining({ method: 'POST', status: 202, path: path.replace(secret, '***') }),
    );
  });

  it('returns 429 when a hook is called too often, and 409 while the project has no repository', async () => {
    const { path } = await created();
    const bare = await created({}, key, await newProject(key, { repo_url: undefined }));
    expect(codeOf(await app.call('POST', bare.path))).toEqual([409, 'project_has_no_repository']);
    const answers: Answer[] = [];
    for (let count = 0; count < 31; count++) answers.push(await app.call('POST', path));
    expect(codeOf(answers.at(-1)!)).toEqual([429, 'burst_limit_exceeded']);
    expect(answers.at(-1)!.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('returns 404 once the project is deleted', async () => {
    const { path } = await created();
    expect((await app.call('DELETE', `/api/v1/projects/${project}`, as(key))).status).toBe(204);
    expect(codeOf(await app.call('POST', path))).toEqual([404, 'deploy_hook_not_found']);
  });
});
