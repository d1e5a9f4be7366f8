import { as, expectStatus, Make, type Org, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, type CallOptions, useApp } from '../support/test-app.js';
import { PlansSettings } from '../../src/modules/plans/plans.settings.js';

const PATH = '/api/v1/projects';
const ABSENT = 'prj_00000000000000000000000000';
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const REPOSITORY = 'https://github.com/acme/shop';

const app = useApp({}, 'api');
const make = new Make(app);
let ada: Person;
let key: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
});

const create = (body: object, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, body, as(by, options));
const read = (named: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.fetch(`${PATH}/${named}`, as(by, options));
const change = (named: string, body: object, options?: CallOptions, by = key): Promise<Answer> =>
  send(app, ['PATCH', `${PATH}/${named}`], body, as(by, options));
const remove = (named: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.call('DELETE', `${PATH}/${named}`, as(by, options));
const made = async (body: object = {}, by = key): Promise<Record<string, any>> =>
  expectStatus(201, await create({ name: uniqueName('project'), ...body }, {}, by)).body.data;
const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];
const inOrg = (org: Pick<Org, 'id'>): CallOptions => ({ headers: { 'x-service-org': org.id } });
const faultsOf = (answer: Answer): string[] => answer.body.error.details.map(({ path }: { path: string }) => path);
const auditOf = async (org: string): Promise<any[]> =>
  (await app.fetch(`/api/v1/orgs/${org}/audit-log?limit=100`, as(ada))).body.data;

describe('projects', () => {
  it('creates a project from a name, and returns the same by id and by slug', async () => {
    const answer = await create({ name: 'Café Zürich' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^prj_[0-9a-z]{26}$/),
        org_id: ada.organization.id,
        name: 'Café Zürich',
        slug: 'cafe-zurich',
        production_branch: 'main',
        created_at: expect.stringMatching(RFC_3339),
        updated_at: answer.body.data.created_at,
      },
      meta: { request_id: answer.headers.get('x-request-id') },
    });
    for (const named of [answer.body.data.id, 'cafe-zurich'])
      expect((await read(named)).body.data).toEqual(answer.body.data);
  });

  it('stores every setting, with the repository URL normalized', async () => {
    const settings = {
      name: 'All of it',
      slug: 'all-of-it',
      framework: 'nextjs',
      root_directory: 'apps/web',
      install_command: 'npm ci',
      build_command: 'npm run build',
      output_directory: 'dist',
      node_version: '22',
      start_command: 'node server.js',
      health_path: '/healthz?deep=1',
      start_timeout_ms: 120_000,
      build_network: 'open',
      production_branch: 'release/1.x',
    };
    const project = await made({ ...settings, repo_url: 'HTTPS://GitHub.com/acme/shop/' });
    expect(project).toMatchObject({ ...settings, repo_url: REPOSITORY });
    expect((await read('all-of-it')).body.data).toEqual(project);
  });

  it('adds a number to a slug that is taken', async () => {
    const slugs = [];
    for (let index = 0; index < 3; index++) slugs.push((await made({ name: 'Numbered' }))['slug']);
    expect(slugs).toEqual(['numbered', 'numbered-2', 'numbered-3']);
  });

  it('returns 409 for a slug that the organization already uses, and allows it in another one', async () => {
    const { slug } = await made();
    const refused = await create({ name: 'x', slug });
    expect(codeOf(refused)).toEqual([409, 'already_exists']);
    expect(refused.body.error.details).toEqual({ slug });
    const other = await make.org(ada, { plan: 'builder' });
    expect((await create({ name: 'x', slug }, inOrg(other))).body.data).toMatchObject({ slug, org_id: other.id });
    // A slug names a project of the organization of the call.
    expect((await read(slug as string, inOrg(other))).body.data.org_id).toBe(other.id);
    expect((await read(slug as string)).body.data.org_id).toBe(ada.organization.id);
  });

  it('keeps the settings that PATCH omits, and clears those set to null', async () => {
    const { id, ...before } = await made({
      framework: 'vite',
      root_directory: 'web',
      node_version: '20',
      start_command: 'npm start',
      start_timeout_ms: 1_000,
    });
    const linked = await change(id, { repo_url: REPOSITORY, framework: null });
    expect(before['framework']).toBe('vite');
    expect(linked.body.data).toEqual({
      id,
      ...before,
      framework: undefined,
      repo_url: REPOSITORY,
      updated_at: expect.stringMatching(RFC_3339),
    });
    expect(linked.body.data).not.toHaveProperty('framework');
    expect(linked.body.data.updated_at > before['updated_at']).toBe(true);

    const unlinked = await change(id, {
      repo_url: null,
      root_directory: null,
      install_command: null,
      build_command: null,
      output_directory: null,
      node_version: null,
      start_command: null,
      health_path: null,
      start_timeout_ms: null,
      build_network: null,
    });
    expect(Object.keys(unlinked.body.data).sort()).toEqual([
      'created_at',
      'id',
      'name',
      'org_id',
      'production_branch',
      'slug',
      'updated_at',
    ]);
    expect((await read(id)).body.data).toEqual(unlinked.body.data);
  });

  it('renames a project and its slug, and finds it under the new slug only', async () => {
    const { id, slug } = await made();
    const other = await made();
    const renamed = uniqueName('renamed');
    expect((await change(slug, { slug: renamed, name: ' Renamed ' })).body.data).toMatchObject({
      id,
      slug: renamed,
      name: 'Renamed',
    });
    expect([(await read(renamed)).status, (await read(slug)).status]).toEqual([200, 404]);
    expect(codeOf(await change(id, { slug: other['slug'] }))).toEqual([409, 'already_exists']);
    expect((await change(id, { slug: renamed })).status).toBe(200);
  });

  it('returns 403 for an open build network on a plan without it, and takes it back at any time', async () => {
    const owner = await make.person();
    const by = await make.key(owner);
    const refused = [403, 'feature_not_in_plan'];
    const answer = await create({ name: 'x', build_network: 'open' }, {}, by);
    expect(codeOf(answer)).toEqual(refused);
    expect(answer.body.error.details).toEqual({
      feature: 'open_build_network',
      plan: 'free',
      smallest_plan: 'builder',
    });
    const { id } = await made({ build_network: 'registries' }, by);
    expect(codeOf(await change(id, { build_network: 'open' }, {}, by))).toEqual(refused);

    await make.plan(owner.organization.id, 'builder');
    expect((await change(id, { build_network: 'open' }, {}, by)).body.data.build_network).toBe('open');
    await make.plan(owner.organization.id, 'free');
    expect((await change(id, { name: 'y' }, {}, by)).body.data.build_network).toBe('open');
    expect((await change(id, { build_network: null }, {}, by)).body.data).not.toHaveProperty('build_network');
  });

  it('deletes a project and frees its slug', async () => {
    const { id, slug } = await made();
    const answer = await remove(slug);
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const call of [() => read(id), () => read(slug), () => change(id, { name: 'x' }), () => remove(id)])
      expect(codeOf(await call())).toEqual([404, 'project_not_found']);
    expect(
      (await app.fetch(`${PATH}?limit=100`, as(key))).body.data.map((project: { id: string }) => project.id),
    ).not.toContain(id);
    expect((await made({ slug }))['slug']).toBe(slug);
  });

  it('lists the projects of the organization newest first, in pages', async () => {
    const org = await make.org(ada, { plan: 'builder' });
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await create({ name }, inOrg(org))).body.data.id);
    const list = (query: string): Promise<Answer> => app.fetch(`${PATH}?${query}`, as(key, inOrg(org)));
    const idsOf = (answer: Answer): string[] => answer.body.data.map(({ id }: { id: string }) => id);
    const first = await list('limit=2');
    expect([idsOf(first), first.body.meta.has_more]).toEqual([ids.slice(0, 2), true]);
    const second = await list(`limit=2&cursor=${first.body.meta.next_cursor}`);
    expect([idsOf(second), second.body.meta.has_more, second.body.meta.next_cursor]).toEqual([
      ids.slice(2),
      false,
      undefined,
    ]);
    for (const query of ['limit=0', 'limit=101', 'cursor=nonsense', 'sort=name'])
      expect((await list(query)).status).toBe(400);
  });

  it('writes to the audit log with the names of the changed fields only', async () => {
    const org = await make.org(ada, { plan: 'builder' });
    const { id } = (await create({ name: 'Audited' }, inOrg(org))).body.data;
    await change(id, { build_command: 'echo a-command', repo_url: REPOSITORY });
    await change(id, { build_command: 'echo a-command' });
    await remove(id);
    const acts = (await auditOf(org.id)).filter(({ target }) => target.type === 'project');
    expect(acts.map(({ action, target, details }) => [action, target.id, details])).toEqual([
      ['project.deleted', id, { name: 'Audited', slug: 'audited' }],
      ['project.changed', id, { changed: ['repo_url', 'build_command'] }],
      ['project.created', id, { name: 'Audited', slug: 'audited' }],
    ]);
  });

  it('creates one project per idempotency key, and none in a dry run', async () => {
    const name = uniqueName('once');
    const twice = [
      await create({ name }, { headers: { 'idempotency-key': name } }),
      await create({ name }, { headers: { 'idempotency-key': name } }),
    ];
    expect(twice[1]!.body.data).toEqual(twice[0]!.body.data);
    expect(twice[1]!.headers.get('idempotency-replayed')).toBe('true');
    expect(codeOf(await create({ name: 'other' }, { headers: { 'idempotency-key': name } }))).toEqual([
      409,
      'idempotency_mismatch',
    ]);

    const dry = await create({ name: uniqueName('dry') }, { headers: { 'dry-run': 'true' } });
    expect([dry.status, dry.body.meta.dry_run]).toEqual([201, true]);
    expect((await read(dry.body.data.id)).status).toBe(404);
    const { id } = twice[0]!.body.data;
    expect((await change(id, { name: 'dry' }, { headers: { 'dry-run': 'true' } })).body.data.name).toBe('dry');
    expect((await remove(id, { headers: { 'dry-run': 'true' } })).status).toBe(204);
    expect((await read(id)).body.data.name).toBe(name);
  });
});

describe('project validation', () => {
  it.each<[object, string[]]>([
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: '   ' }, ['name']],
    [{ name: 'x'.repeat(101) }, ['name']],
    [{ name: 'two\nlines' }, ['name']],
    [{ name: 7 }, ['name']],
    [{ name: null }, ['name']],
    ...['', 'A', '-a', 'a-', 'a--b', 'a_b', 'a.b', 'x'.repeat(64), 'ü', null, 7].map((slug): [object, string[]] => [
      { name: 'x', slug },
      ['slug'],
    ]),
    ...[
      'http://github.com/a/b',
      'https://ada:secret@github.com/a/b',
      'https://127.0.0.1/a/b',
      'https://0x7f.1/a/b',
      'https://[::1]/a/b',
      'https://metadata.google.internal/a/b',
      'git@github.com:a/b',
      'https://github.com:22/a/b',
      'https://github.com/a/../b',
      'https://github.com/a/-b',
      `https://github.com/a/${'b'.repeat(2_000)}`,
      '',
      null,
      {},
      [REPOSITORY],
    ].map((repo_url): [object, string[]] => [{ name: 'x', repo_url }, ['repo_url']]),
    ...['unknown', '', null, 1].map((framework): [object, string[]] => [{ name: 'x', framework }, ['framework']]),
    ...['..', '../a', '/etc', 'a/../../b', 'a\\b', 'a\0b', '', '.', '-rf', null, []].map(
      (root_directory): [object, string[]] => [{ name: 'x', root_directory }, ['root_directory']],
    ),
    ...['/', 'dist/', '.git'].map((output_directory): [object, string[]] => [
      { name: 'x', output_directory },
      ['output_directory'],
    ]),
    ...['', 'a\nb', 'a\0b', 'x'.repeat(1_001), null].map((build_command): [object, string[]] => [
      { name: 'x', build_command },
      ['build_command'],
    ]),
    [{ name: 'x', install_command: 5 }, ['install_command']],
    ...['18', '22.1', 22, null].map((node_version): [object, string[]] => [
      { name: 'x', node_version },
      ['node_version'],
    ]),
    ...['', 'a\nb', null].map((start_command): [object, string[]] => [{ name: 'x', start_command }, ['start_command']]),
    ...['', 'healthz', '//evil.example', '/a b', '/a#b', '/a\r\nb', '/ü', `/${'a'.repeat(200)}`, 5, null].map(
      (health_path): [object, string[]] => [{ name: 'x', health_path }, ['health_path']],
    ),
    ...[0, 999, 120_001, 1_500.5, '2000', null].map((start_timeout_ms): [object, string[]] => [
      { name: 'x', start_timeout_ms },
      ['start_timeout_ms'],
    ]),
    ...['closed', '', true, null].map((build_network): [object, string[]] => [
      { name: 'x', build_network },
      ['build_network'],
    ]),
    ...['', '-d', '--upload-pack=id', 'a..b', 'a b', 'a~1', 'HEAD', 'a.lock', '@{-1}', 'a\0b', null].map(
      (production_branch): [object, string[]] => [{ name: 'x', production_branch }, ['production_branch']],
    ),
    [{ name: 'x', org_id: 'org_x' }, ['org_id']],
    [{ name: 'x', id: 'prj_x', surprise: 1 }, ['id', 'surprise']],
    [{ name: '', slug: 'A', node_version: '1' }, ['name', 'slug', 'node_version']],
  ])('returns 400 for %j', async (body, paths) => {
    const answer = await create(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(faultsOf(answer).sort()).toEqual([...paths].sort());
    expect(answer.text).not.toContain('secret');
  });

  it('returns 400 for a PATCH that would be invalid on create, or clears a required field', async () => {
    const { id } = await made();
    for (const [body, path] of [
      [{ name: null }, 'name'],
      [{ slug: null }, 'slug'],
      [{ production_branch: null }, 'production_branch'],
      [{ repo_url: 'https://localhost/a/b' }, 'repo_url'],
      [{ framework: 'unknown' }, 'framework'],
      [{ root_directory: '..' }, 'root_directory'],
      [{ node_version: '1' }, 'node_version'],
      [{ health_path: 'x' }, 'health_path'],
      [{ start_timeout_ms: 1 }, 'start_timeout_ms'],
      [{ org_id: 'x' }, 'org_id'],
    ] as const) {
      const answer = await change(id, body);
      expect([path, answer.status, faultsOf(answer)]).toEqual([path, 400, [path]]);
    }
    expect((await change(id, {})).status).toBe(200);
  });
});

describe('access to projects', () => {
  const scoped = (scope: string): Promise<string> => make.key(ada, { scopes: [scope] });

  it('depends on the scopes of the key', async () => {
    const { id } = await made();
    const [reader, writer, deleter] = [
      await scoped('projects:read'),
      await scoped('projects:write'),
      await scoped('projects:delete'),
    ];
    const refused = [403, 'insufficient_scopes'];
    for (const call of [
      () => create({ name: 'x' }, {}, reader),
      () => change(id, { name: 'x' }, {}, reader),
      () => remove(id, {}, reader),
      () => remove(id, {}, writer),
      () => read(id, {}, writer),
      () => app.fetch(PATH, as(deleter)),
      () => change(id, { name: 'x' }, {}, deleter),
    ]) {
      expect(codeOf(await call())).toEqual(refused);
    }
    expect([
      (await read(id, {}, reader)).status,
      (await app.fetch(PATH, as(reader))).status,
      (await change(id, { name: 'x' }, {}, writer)).status,
      (await remove(id, {}, deleter)).status,
    ]).toEqual([200, 200, 200, 204]);
  });

  it('depends on the role: members write, viewers read', async () => {
    const org = await make.org(ada, { plan: 'builder' });
    const bob = await make.person();
    await make.member(org, bob, 'member');
    const bobs = await make.key(bob);
    const { id } = expectStatus(201, await create({ name: 'Shared' }, inOrg(org), bobs)).body.data;
    // In the project's own organization, whatever that of the call is.
    expect((await change(id, { name: 'Changed' }, {}, bobs)).status).toBe(200);
    await make.role(org, bob, 'viewer');
    expect((await read(id, {}, bobs)).body.data.name).toBe('Changed');
    for (const call of [
      () => create({ name: 'x' }, inOrg(org), bobs),
      () => change(id, { name: 'x' }, {}, bobs),
      () => remove(id, {}, bobs),
    ]) {
      expect(codeOf(await call())).toEqual([403, 'insufficient_scopes']);
    }
    await make.role(org, bob, 'member');
    expect((await remove(id, {}, bobs)).status).toBe(204);
  });

  it('returns 401 without a key and for a session token', async () => {
    expect(codeOf(await app.fetch(PATH))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await app.fetch(PATH, as(ada)))).toEqual([401, 'session_token_not_allowed']);
    expect(codeOf(await app.post(PATH, { name: 'x' }))).toEqual([401, 'missing_api_key']);
  });

  it("returns the same 404 for another organization's project as for a missing one", async () => {
    const { id, slug } = await made();
    const outsider = await make.key(await make.person());
    const bound = await make.key(ada, { kind: 'org_bound', org_id: (await make.org(ada)).id });
    const text = async (answer: Promise<Answer>): Promise<string> => (await answer).text.replace(/req_\w+/, '…');
    for (const by of [outsider, bound]) {
      for (const ask of [
        (named: string) => read(named, {}, by),
        (named: string) => change(named, { name: 'x' }, {}, by),
        (named: string) => remove(named, {}, by),
      ]) {
        const absent = await text(ask(ABSENT));
        expect(absent).toContain('project_not_found');
        for (const named of [id, slug]) expect(await text(ask(named as string))).toBe(absent);
      }
    }
    for (const odd of ['a%0ab', '%C3%BC', 'x'.repeat(300), "'--", '_'])
      expect([odd, (await read(odd)).status]).toEqual([odd, 404]);
    expect((await read(id)).body.data.name).not.toBe('x');
  });
});

describe('concurrent project requests', () => {
  it('create exactly as many projects as the plan allows', async () => {
    const person = await make.person();
    const by = await make.key(person);
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'Rush' }, {}, by)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(7).fill(403)]);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.data.slug))).toEqual(
      new Set(['rush', 'rush-2', 'rush-3']),
    );
    const refused = answers.find(({ status }) => status === 403)!;
    expect(refused.body.error).toMatchObject({
      code: 'plan_limit_reached',
      details: { limit: 3, plan: 'free' },
      hint: expect.stringContaining(app.settings.of(PlansSettings).pricingUrl),
    });
    expect((await app.fetch(PATH, as(by))).body.data).toHaveLength(3);

    // One that is deleted makes room for another, and a larger plan for more.
    await remove('rush', {}, by);
    expect((await create({ name: 'Again' }, {}, by)).status).toBe(201);
    expect(codeOf(await create({ name: 'Too many' }, {}, by))).toEqual([403, 'plan_limit_reached']);
    await make.plan(person.organization.id, 'builder');
    expect((await create({ name: 'More' }, {}, by)).status).toBe(201);
  });

  it('allow 25 projects on Builder and any number on Pro', async () => {
    const org = await make.org(ada, { plan: 'builder' });
    await make.sql(
      `INSERT INTO projects (id, org_id, name, slug, production_branch, created_at, updated_at)
      SELECT 'prj_' || lpad(n::text, 26, '0'), $1, 'x', 'x-' || n, 'main', now(), now() FROM generate_series(1, 25) n`,
      [org.id],
    );
    expect(codeOf(await create({ name: 'x' }, inOrg(org)))).toEqual([403, 'plan_limit_reached']);
    await make.plan(org.id, 'pro');
    expect((await create({ name: 'x' }, inOrg(org))).status).toBe(201);
  });

  it('give a requested slug to exactly one project', async () => {
    const slug = uniqueName('slug');
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'x', slug })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(5).fill(409)]);
  });

  it('keep slugs unique between renames and creates', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await made())['id'] as string));
    const answers = await Promise.all(
      ids.flatMap((id, index) => [
        create({ name: 'Meeting' }),
        change(id, { slug: index === 0 ? 'meeting' : `meeting-${index + 1}` }),
      ]),
    );
    // What nobody asked for by name is never refused.
    for (const [index, { status }] of answers.entries()) expect(index % 2 === 0 ? [201] : [200, 409]).toContain(status);
  });
});
