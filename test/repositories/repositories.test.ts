import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { RepositoriesHome } from '../../src/modules/repositories/git/repositories-home.js';
import { as, expectStatus, Make, type Org, type Person, uniqueName } from '../support/make.js';
import { type Answer, type CallOptions, useApp } from '../support/test-app.js';

const PATH = '/api/v1/repositories';
const ABSENT = 'repo_00000000000000000000000000';
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const app = useApp();
const make = new Make(app);
let ada: Person;
let key: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
});

const create = (body: object, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, body, as(by, options));
const made = async (body: object = {}, by = key): Promise<Record<string, any>> =>
  expectStatus(201, await create({ name: uniqueName('repository'), ...body }, {}, by)).body.data;
const remove = (id: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.call('DELETE', `${PATH}/${id}`, as(by, options));
const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];
const inOrg = (org: Pick<Org, 'id'>): CallOptions => ({ headers: { 'x-service-org': org.id } });
const directories = (): string[] => readdirSync(app.get(RepositoriesHome).directory).sort();
const has = (id: string): boolean => existsSync(`${app.get(RepositoriesHome).directory}/${id}.git/HEAD`);
/** Runs git with `safe.directory`, because another user owns the repositories. */
const git = (id: string, ...args: string[]): string =>
  execFileSync(
    'git',
    ['-c', 'safe.directory=*', '--git-dir', `${app.get(RepositoriesHome).directory}/${id}.git`, ...args],
    { encoding: 'utf8' },
  ).trim();

const TEMPLATES = ['nextjs', 'nextjs-postgres', 'nextjs-uploads', 'expo', 'ai-chat'];

describe('repositories', () => {
  it.each(TEMPLATES)('creates a repository with one commit of template %s on main', async (template) => {
    const name = `From-${template}_1.0`;
    const answer = await create({ template, name });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^repo_[0-9a-z]{26}$/),
        org_id: ada.organization.id,
        name,
        provider: 'service',
        template,
        default_branch: 'main',
        repo_url: `http://api.test/git/${ada.organization.slug}/${name}.git`,
        created_at: expect.stringMatching(RFC_3339),
      },
      meta: { request_id: answer.headers.get('x-request-id') },
    });
    const { id } = answer.body.data;
    expect(git(id, 'rev-list', '--count', '--all')).toBe('1');
    expect(git(id, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    const files = git(id, 'ls-tree', '-r', '--name-only', 'main').split('\n');
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'package-lock.json', 'package.json']));
    expect(files.filter((file) => /node_modules|\.next|\.expo\//.test(file))).toEqual([]);
    expect(JSON.parse(git(id, 'show', 'main:package.json')).scripts).toMatchObject({
      test: expect.any(String),
    });
    const { size_bytes: size, ...shown } = (await app.fetch(`${PATH}/${id as string}`, as(key))).body.data;
    expect(shown).toEqual(answer.body.data);
    expect(size).toBeGreaterThan(10_000);
    expect(git(id, 'fsck', '--strict')).toBe('');
  });

  it('creates an empty repository without a template', async () => {
    const { id, ...shown } = await made();
    expect(shown).not.toHaveProperty('template');
    expect([has(id), git(id, 'for-each-ref')]).toEqual([true, '']);
  });

  it('can be linked to a project', async () => {
    const { repo_url } = await made();
    expect(
      expectStatus(201, await app.post('/api/v1/projects', { name: 'Linked', repo_url }, as(key))).body.data.repo_url,
    ).toBe(repo_url);
  });

  it('keeps names unique within an organization, ignoring case, until the repository is deleted', async () => {
    const name = uniqueName('Once');
    const { id } = await made({ name });
    const refused = await create({ name: name.toLowerCase() });
    expect(codeOf(refused)).toEqual([409, 'already_exists']);
    const other = await make.org(ada, { plan: 'builder' });
    expect((await create({ name }, inOrg(other))).status).toBe(201);
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(codeOf(await app.fetch(`${PATH}/${id as string}`, as(key)))).toEqual([404, 'repository_not_found']);
    expect(has(id)).toBe(false);
    await made({ name });
  });

  it('creates one repository for two concurrent requests', async () => {
    const name = uniqueName('race');
    const answers = await Promise.all([1, 2, 3].map(() => create({ name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('creates one repository per idempotency key', async () => {
    const options = { headers: { 'idempotency-key': uniqueName('key') } };
    const body = { name: uniqueName('again'), template: 'nextjs' };
    const [first, again] = [await create(body, options), await create(body, options)];
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(codeOf(await create({ ...body, name: 'another' }, options))).toEqual([409, 'idempotency_mismatch']);
  });

  it('neither creates nor deletes in a dry run', async () => {
    const before = directories();
    const name = uniqueName('dry');
    const dry = await create({ name, template: 'nextjs' }, { headers: { 'dry-run': 'true' } });
    expect([dry.status, dry.body.meta.dry_run, dry.body.data.name]).toEqual([201, true, name]);
    expect(directories()).toEqual(before);
    const { id } = await made({ name });
    expect((await remove(id, { headers: { 'dry-run': 'true' } })).status).toBe(204);
    expect([has(id), (await app.fetch(`${PATH}/${id as string}`, as(key))).status]).toEqual([true, 200]);
  });

  it.each<[object, string]>([
    [{}, 'name'],
    ...[
      7,
      null,
      '',
      '.',
      '..',
      '.git',
      '-x',
      'a..b',
      'a/b',
      'a b',
      'a.git',
      'A.GIT',
      'a.lock',
      'a.',
      'ü',
      'a\n',
      'x'.repeat(101),
    ].map((name): [object, string] => [{ name }, 'name']),
    ...[null, 7, '', 'rails', '../nextjs', 'NEXTJS', 'constructor'].map((template): [object, string] => [
      { name: 'fine', template },
      'template',
    ]),
    [{ name: 'fine', default_branch: 'x' }, 'default_branch'],
  ])('returns 400 for %j', async (body, path) => {
    const before = directories();
    const answer = await create(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details.map((fault: { path: string }) => fault.path)).toContain(path);
    if (path === 'template') expect(answer.body.error.details[0].expected).toEqual(TEMPLATES);
    expect(directories()).toEqual(before);
  });

  it('creates as many as the plan allows, under concurrent requests too', async () => {
    const person = await make.person();
    const secret = await make.key(person);
    const inputs = Array.from({ length: 13 }, () => create({ name: uniqueName('one') }, {}, secret));
    const answers = await Promise.all(inputs);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(codeOf(refused)).toEqual([403, 'plan_limit_reached']);
    expect(refused.body.error.details).toEqual({ limit: 10, plan: 'free' });
  });

  it('lists the repositories of the organization newest first, in pages', async () => {
    const org = await make.org(ada, { plan: 'builder' });
    const ids: string[] = [];
    for (let index = 0; index < 3; index++)
      ids.unshift(expectStatus(201, await create({ name: `r${index}` }, inOrg(org))).body.data.id);
    const first = await app.fetch(`${PATH}?limit=2`, as(key, inOrg(org)));
    expect([first.body.data.map(({ id }: { id: string }) => id), first.body.meta.has_more]).toEqual([
      ids.slice(0, 2),
      true,
    ]);
    const second = await app.fetch(
      `${PATH}?limit=2&cursor=${String(first.body.meta.next_cursor)}`,
      as(key, inOrg(org)),
    );
    expect([second.body.data.map(({ id }: { id: string }) => id), second.body.meta.has_more]).toEqual([
      ids.slice(2),
      false,
    ]);
    expect(first.body.data[0].repo_url).toBe(`http://api.test/git/${org.slug}/r2.git`);
    expect(codeOf(await app.fetch(`${PATH}?limit=0`, as(key)))).toEqual([400, 'invalid_request']);
  });

  it('requires repositories:read and repositories:write, and returns 404 for another organization', async () => {
    const { id } = await made();
    const [reader, writer, none] = [
      await make.key(ada, { scopes: ['repositories:read'] }),
      await make.key(ada, { scopes: ['repositories:write'] }),
      await make.key(ada, { scopes: ['projects:read'] }),
    ];
    expect([
      (await create({ name: 'x' }, {}, reader)).status,
      (await remove(id, {}, reader)).status,
      (await app.fetch(`${PATH}/${id as string}`, as(writer))).status,
    ]).toEqual([403, 403, 403]);
    expect((await app.fetch(`${PATH}/templates`, as(none))).status).toBe(403);
    expect(
      (await app.fetch(`${PATH}/templates`, as(reader))).body.data.map((template: { id: string }) => template.id),
    ).toEqual(TEMPLATES);
    for (const path of [PATH, `${PATH}/${id as string}`, `${PATH}/templates`])
      expect(codeOf(await app.fetch(path))).toEqual([401, 'missing_api_key']);
    expect((await remove(id, {}, 'svc_pat_x')).status).toBe(401);

    const outsider = await make.key(await make.person());
    for (const call of [
      (it: string) => app.fetch(`${PATH}/${it}`, as(outsider)),
      (it: string) => remove(it, {}, outsider),
    ]) {
      const [theirs, absent] = [await call(id), await call(ABSENT)];
      expect(codeOf(theirs)).toEqual([404, 'repository_not_found']);
      expect(theirs.text.replace(/req_\w+/, '…')).toBe(absent.text.replace(/req_\w+/, '…'));
    }
    expect((await remove(id, {}, writer)).status).toBe(204);
  });

  it('writes creation and deletion to the audit log', async () => {
    const { id, name } = await made({ template: 'expo' });
    await remove(id);
    const entries = (
      await app.fetch(`/api/v1/orgs/${ada.organization.id}/audit-log?limit=100`, as(ada))
    ).body.data.filter(({ target }: any) => target.id === id);
    expect(entries.map(({ action, details }: any) => [action, details])).toEqual([
      ['repository.deleted', { name, provider: 'service', template: 'expo' }],
      ['repository.created', { name, provider: 'service', template: 'expo' }],
    ]);
  });
});

describe('the repository directory', () => {
  const sweep = (): Promise<unknown> => app.runSchedule('repository-upkeep');

  it('is created on demand when the process ended before creating it', async () => {
    const { id, repo_url } = await made({ template: 'nextjs' });
    execFileSync('rm', ['-rf', `${app.get(RepositoriesHome).directory}/${id as string}.git`]);
    const refs = (): Promise<Answer> =>
      app.fetch(`${new URL(repo_url as string).pathname}/info/refs?service=git-upload-pack`, as(key));
    // It was there once: it is lost, and nobody makes an empty one in its place.
    expect((await refs()).status).toBe(500);
    expect(has(id)).toBe(false);
    await make.sql('UPDATE repositories SET provisioned_at = NULL WHERE id = $1', [id]);
    const answers = await Promise.all([refs(), refs(), refs()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(git(id, 'rev-list', '--count', 'main')).toBe('1');
    expect(directories().filter((name) => name.startsWith('new-'))).toEqual([]);
  });

  it('is deleted later when that failed, and kept when the repository is not deleted', async () => {
    const [deleted, kept] = [await made(), await made()];
    await make.sql('UPDATE repositories SET deleted_at = now() WHERE id = $1', [deleted['id']]);
    await make.sql('DELETE FROM repository_branches WHERE repository_id = $1', [kept['id']]);
    await make.sql('DELETE FROM repositories WHERE id = $1', [kept['id']]);
    await sweep();
    expect([has(deleted['id']), has(kept['id'])]).toEqual([false, true]);
  });

  it('is compacted after many pushes, and reports pushes that were missed', async () => {
    const { id } = await made({ template: 'nextjs' });
    await make.sql('DELETE FROM repository_branches WHERE repository_id = $1', [id]);
    await make.sql(
      `UPDATE repositories SET pushes_since_gc = 99, push_begun_at = now() - interval '1 hour',
        pushed_by = $2 WHERE id = $1`,
      [id, ada.user.id],
    );
    await sweep();
    const [row] = await make.sql('SELECT pushes_since_gc, push_begun_at FROM repositories WHERE id = $1', [id]);
    expect(row).toEqual({ pushes_since_gc: 0, push_begun_at: null });
    expect(await make.sql('SELECT name, commit_sha FROM repository_branches WHERE repository_id = $1', [id])).toEqual([
      { name: 'main', commit_sha: git(id, 'rev-parse', 'main') },
    ]);
    expect(git(id, 'count-objects')).toMatch(/^0 objects/);
  });

  it('is deleted an hour after an unfinished creation, and not earlier', async () => {
    const home = app.get(RepositoriesHome).directory;
    for (const [name, age] of [
      ['new-old', '2 hours ago'],
      ['new-young', '1 minute ago'],
    ] as const) {
      execFileSync('mkdir', [`${home}/${name}`]);
      execFileSync('touch', ['-d', age, `${home}/${name}`]);
    }
    await sweep();
    expect(directories().filter((name) => name.startsWith('new-'))).toEqual(['new-young']);
    execFileSync('rmdir', [`${home}/new-young`]);
  });
});

describe('files and commits of a repository', () => {
  const HEAD = /^[0-9a-f]{40}$/;
  let id: string;
  let head: string;
  beforeAll(async () => {
    id = (await made()).id as string;
    const first = { branch: 'main', message: 'Begin', files: [{ path: 'a.txt', content: 'one' }], expected_head: null };
    head = expectStatus(201, await commit(first)).body.data.commit;
  });

  const commit = (body: object, options: CallOptions = {}, by = key, repository = id): Promise<Answer> =>
    app.post(`${PATH}/${repository}/commits`, body, as(by, options));
  const read = (query = '', by = key, repository = id): Promise<Answer> =>
    app.fetch(`${PATH}/${repository}/files${query}`, as(by));
  const change = (fields: object = {}): object => ({
    branch: 'change',
    message: 'Change',
    files: [{ path: 'b.txt', content: 'two' }],
    expected_head: head,
    ...fields,
  });

  it('commits on a new branch what it then reads, and leaves the other branch as it is', async () => {
    const files = [
      { path: 'src/b.txt', content: 'two' },
      { path: 'a.txt', content: null },
    ];
    const { data } = expectStatus(201, await commit(change({ branch: 'second', files }))).body;
    expect(data).toEqual({ repository_id: id, branch: 'second', commit: expect.stringMatching(HEAD) });
    expect(git(id, 'log', '-1', '--format=%B%an', 'second')).toBe(`Change\n${ada.user.username}`);
    const shown = expectStatus(200, await read('?branch=second&path=src/b.txt&path=a.txt&path=src')).body.data;
    expect(shown).toEqual({
      repository_id: id,
      branch: 'second',
      commit: data.commit,
      files: [
        { path: 'src/b.txt', type: 'file', size: 3, content: 'two' },
        { path: 'a.txt', type: 'missing' },
        { path: 'src', type: 'directory', files: ['src/b.txt'], truncated: false },
      ],
    });
    const root = expectStatus(200, await read()).body.data;
    expect(root).toMatchObject({ branch: 'main', commit: head, files: [{ path: '.', files: ['a.txt'] }] });
    const branches = expectStatus(200, await app.fetch(`${PATH}/${id}/branches`, as(key))).body.data;
    expect(branches.map(({ name }: { name: string }) => name)).toContain('second');
  });

  it('writes nothing in a dry run, and once with an Idempotency-Key', async () => {
    const dry = expectStatus(201, await commit(change(), { headers: { 'dry-run': 'true' } })).body;
    expect(dry).toMatchObject({ data: { commit: head }, meta: { dry_run: true } });
    expect(codeOf(await read('?branch=change'))).toEqual([404, 'branch_not_found']);
    const again = { headers: { 'idempotency-key': uniqueName('once') } };
    const [one, two] = [
      await commit(change({ branch: 'once' }), again),
      await commit(change({ branch: 'once' }), again),
    ];
    expect(two.body.data).toEqual(expectStatus(201, one).body.data);
    expect(git(id, 'rev-list', '--count', `${head}..once`)).toBe('1');
  });

  it('returns 409 when the branch has moved, and writes nothing', async () => {
    expectStatus(201, await commit(change({ branch: 'moved' })));
    const refused = await commit(change({ branch: 'moved' }));
    expect(codeOf(refused)).toEqual([409, 'branch_moved']);
    expect(refused.body.error.details.head).toBe(git(id, 'rev-parse', 'moved'));
    const unknown = change({ branch: 'unknown', expected_head: '0'.repeat(40) });
    for (const headers of [{}, { 'dry-run': 'true' }] as Record<string, string>[])
      expect(codeOf(await commit(unknown, { headers }))).toEqual([409, 'branch_moved']);
  });

  it.each<[string, object, string]>([
    ['a branch that git refuses', { branch: '../x' }, 'branch'],
    ['an empty message', { message: ' ' }, 'message'],
    ['no file', { files: [] }, 'files'],
    ['no content', { files: [{ path: 'a.txt' }] }, 'files[0].content'],
    ['a path out of the repository', { files: [{ path: '../a', content: '' }] }, 'files[0].path'],
    ['a path of git', { files: [{ path: '.git/config', content: '' }] }, 'files[0].path'],
    ['a file twice', { files: Array(2).fill({ path: 'a', content: '' }) }, 'files'],
    ['no expected head', { expected_head: undefined }, 'expected_head'],
    ['a short head', { expected_head: 'abc' }, 'expected_head'],
    ['deleting what is not there', { files: [{ path: 'none', content: null }] }, 'files[0].path'],
    ['a field that is not known', { force: true }, 'force'],
  ])('returns 400 for %s', async (_, fields, path) => {
    const { status, body } = await commit(change(fields));
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'invalid_request', path]);
  });

  it('returns 400 for more than 20 paths, and for a branch that git refuses', async () => {
    expect(codeOf(await read(`?${'path=a&'.repeat(21)}`))).toEqual([400, 'invalid_request']);
    expect(codeOf(await read('?branch=..'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await read('?branch=none'))).toEqual([404, 'branch_not_found']);
  });

  it('returns 401, 403 and 404 to those who may not', async () => {
    expect(codeOf(await app.fetch(`${PATH}/${id}/files`))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await app.post(`${PATH}/${id}/commits`, change()))).toEqual([401, 'missing_api_key']);
    const reader = await make.key(ada, { scopes: ['repositories:read'] });
    expectStatus(200, await read('', reader));
    expect(codeOf(await commit(change(), {}, reader))).toEqual([403, 'insufficient_scopes']);
    const other = await make.key(ada, { scopes: ['projects:read'] });
    expect(codeOf(await read('', other))).toEqual([403, 'insufficient_scopes']);
    const outsider = await make.key(await make.person({ plan: 'pro' }));
    for (const repository of [id, ABSENT]) {
      expect(codeOf(await read('', outsider, repository))).toEqual([404, 'repository_not_found']);
      expect(codeOf(await commit(change(), {}, outsider, repository))).toEqual([404, 'repository_not_found']);
    }
  });
});
