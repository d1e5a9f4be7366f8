import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { type Answer, eventually, randomAddress, useApp } from '../support/test-app.js';

jest.setTimeout(120_000);

const ABSENT = 'upl_00000000000000000000000000';
const dataDirectory = mkdtempSync(join(tmpdir(), 'uploads-'));
chmodSync(dataDirectory, 0o711);
const app = useApp({
  DATA_DIR: dataDirectory,
  SANDBOX_ENABLED: 'false',
  DEPLOY_CONCURRENCY: '2',
  UPLOAD_MAX_MIB: '1',
  ANONYMOUS_CALLS_PER_SECOND: '1000',
});
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
afterAll(() => {
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function newProject(by = key): Promise<string> {
  return expectStatus(201, await app.post('/api/v1/projects', { name: uniqueName('site') }, as(by))).body.data
    .id as string;
}

type Files = Record<string, string | Buffer>;

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const announced = (files: Files): object[] =>
  Object.entries(files).map(([path, content]) => ({
    path,
    sha256: hashOf(content),
    bytes: Buffer.byteLength(content),
    executable: path.endsWith('.sh'),
  }));
const framed = (contents: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(contents.flatMap((content) => [Buffer.from(`${hashOf(content)}\n`), Buffer.from(content)]));
const begin = (files: object, by = key, id = project): Promise<Answer> =>
  app.post(`/api/v1/projects/${id}/uploads`, { files }, as(by));
const begun = async (files: Files, by = key, id = project): Promise<{ id: string; missing: string[] }> =>
  expectStatus(201, await begin(announced(files), by, id)).body.data;

interface Put {
  readonly by?: string | undefined;
  readonly inProject?: string;
  readonly headers?: Record<string, string>;
}

async function put(
  uploadId: string,
  body: Buffer,
  { by = key, inProject = project, headers = {} }: Put = {},
): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${app.url}/api/v1/projects/${inProject}/uploads/${uploadId}/blobs`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      'x-forwarded-for': randomAddress(),
      ...(by === '' ? {} : { authorization: `Bearer ${by}` }),
      ...headers,
    },
    body: new Uint8Array(body),
  });
  return { status: answer.status, body: await answer.json() };
}

const deploy = (uploadId: string, body: object = {}, by = key, id = project): Promise<Answer> =>
  app.post(`/api/v1/projects/${id}/deploys`, { source: { upload_id: uploadId }, ...body }, as(by));
const codeOf = ({ status, body }: { status: number; body: any }): [number, string] => [status, body?.error?.code];

async function over(id: string): Promise<any> {
  let found: any;
  await eventually(
    async () => {
      found = expectStatus(200, await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
      return found.finished_at !== undefined;
    },
    `${id} is over`,
    100_000,
  );
  return found;
}

async function open(url: string, path = '/'): Promise<string> {
  return app.raw(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`, {
    port: app.appsPort,
  });
}

/** The entries below the directories of all stores of uploads. */
const storeDirectories = (): string[] =>
  readdirSync(join(dataDirectory, 'repositories/git')).filter((name) => name.startsWith('ups_'));

describe('a deploy of an upload', () => {
  it('serves the files of a project without a repository, takes only what is new, and reuses builds', async () => {
    const files: Files = {
      'index.html': '<h1>uploaded</h1>',
      'ünï "quoted".txt': 'ü',
      'empty.txt': '',
      'a/b/data.bin': randomBytes(300_000),
    };
    const first = await begun(files);
    expect(first.missing).toHaveLength(4);
    const part = await put(first.id, framed([files['index.html']!, files['empty.txt']!]));
    expect([part.status, part.body.data.missing.length]).toEqual([200, 2]);
    expect(codeOf(await deploy(first.id))).toEqual([409, 'upload_incomplete']);
    expect((await begun(files)).missing.sort()).toEqual(part.body.data.missing.sort());
    await put(first.id, framed([files['ünï "quoted".txt']!, files['a/b/data.bin']!]));

    const queued = expectStatus(202, await deploy(first.id)).body.data;
    expect(queued).toMatchObject({ type: 'preview', branch: 'main', upload_id: first.id, state: 'queued' });
    const ready = await over(queued.id as string);
    expect(ready).toMatchObject({ state: 'ready', commit: { message: 'Upload of 4 files' } });
    expect(await open(ready.url)).toContain('uploaded');
    expect(await open(ready.url, '/%C3%BCn%C3%AF%20%22quoted%22.txt')).toMatch(/\r\n\r\nü$/);

    const again = await begun(files);
    expect(again.missing).toEqual([]);
    expect(await over(expectStatus(202, await deploy(again.id)).body.data.id)).toMatchObject({
      state: 'ready',
      same_as: ready.id,
    });

    const changed = await begun({ ...files, 'index.html': '<h1>changed</h1>' });
    expect(changed.missing).toEqual([hashOf('<h1>changed</h1>')]);
    await put(changed.id, framed(['<h1>changed</h1>']));
    const production = await over(expectStatus(202, await deploy(changed.id, { type: 'production' })).body.data.id);
    expect(production).toMatchObject({ state: 'ready', live: true });
    expect(await open(production.aliases[0])).toContain('changed');
  });

  it('keeps the executable bit and builds nothing that was not announced', async () => {
    const files = { 'index.html': 'x', 'build.sh': '#!/bin/sh\nmkdir out; ls -l > out/index.html' };
    const { id } = await begun(files);
    await put(id, framed(Object.values(files)));
    await app.call('PATCH', `/api/v1/projects/${project}`, {
      ...as(key, { headers: { 'content-type': 'application/json' } }),
      body: JSON.stringify({ framework: 'static', build_command: './build.sh', output_directory: 'out' }),
    });
    const ready = await over(expectStatus(202, await deploy(id)).body.data.id);
    expect(ready.error).toBeUndefined();
    expect(await open(ready.url)).toMatch(/-rwx.* build\.sh/);
  });

  it('refuses the upload of another project, one that does not exist, and a commit beside it', async () => {
    const { id } = await begun({ 'index.html': 'x' });
    await put(id, framed(['x']));
    expect(codeOf(await deploy(ABSENT))).toEqual([404, 'upload_not_found']);
    expect(codeOf(await deploy(id, {}, key, await newProject()))).toEqual([404, 'upload_not_found']);
    expect(codeOf(await deploy(id, { commit: 'a'.repeat(40) }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await app.post(`/api/v1/projects/${project}/deploys`, { source: {} }, as(key)))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(codeOf(await app.post(`/api/v1/projects/${project}/deploys`, {}, as(key)))).toEqual([
      409,
      'project_has_no_repository',
    ]);
  });
});

describe('POST /api/v1/projects/:project_id/uploads', () => {
  it.each([
    ['no list', {}],
    ['an empty list', []],
    ['a path out of the directory', [{ path: '../x', sha256: 'a'.repeat(64), bytes: 1 }]],
    ['a path into .git', [{ path: 'a/.GIT/config', sha256: 'a'.repeat(64), bytes: 1 }]],
    ['an absolute path', [{ path: '/etc/passwd', sha256: 'a'.repeat(64), bytes: 1 }]],
    ['a line break in a path', [{ path: 'a\nM 100644 inline b', sha256: 'a'.repeat(64), bytes: 1 }]],
    ['an invalid hash', [{ path: 'x', sha256: 'a', bytes: 1 }]],
  ])('returns 400 for %s', async (_what, files) => {
    expect(codeOf(await begin(files))).toEqual([400, 'invalid_request']);
  });

  it('returns 401 without a key, 403 without the scope, and 404 for the project of another tenant', async () => {
    const eve = await make.key(await make.person({ plan: 'builder' }));
    const reader = await make.key(ada, { scopes: ['deploys:read'] });
    const files = announced({ 'index.html': 'x' });
    expect((await app.post(`/api/v1/projects/${project}/uploads`, { files })).status).toBe(401);
    expect(codeOf(await begin(files, reader))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await begin(files, eve))).toEqual([404, 'project_not_found']);
  });

  it('returns 413 for more than the limit, and 409 when the storage of the plan is full', async () => {
    const large = { path: 'x', sha256: 'a'.repeat(64), bytes: 1_048_577 };
    expect(codeOf(await begin([large]))).toEqual([413, 'upload_too_large']);
    const poor = await make.person({ plan: 'free' });
    const its = await make.key(poor);
    const id = await newProject(its);
    // Announced content counts like stored content.
    await begun({ x: 'x' }, its, id);
    await make.sql(
      `UPDATE upload_blobs SET bytes = 1024 * 1048576
       WHERE store_id IN (SELECT id FROM upload_stores WHERE project_id = $1)`,
      [id],
    );
    expect(codeOf(await begin(announced({ y: randomBytes(10) }), its, await newProject(its)))).toEqual([
      409,
      'upload_storage_full',
    ]);
  });

  it('counts lists of files and empty files, so that uploads never exceed the storage of the plan', async () => {
    const poor = await make.person({ plan: 'free' });
    const its = await make.key(poor);
    const id = await newProject(its);
    const taken = async (): Promise<number> => {
      const answer = await begin([{ path: 'x', sha256: hashOf('x'), bytes: 1 }], its, await newProject(its));
      return answer.body.error.details.used_bytes as number;
    };
    const nothing = announced(
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${'d/'.repeat(400)}${index}`, ''])),
    );
    for (let count = 0; count < 3; count++) expectStatus(201, await begin(nothing, its, id));
    await make.sql(
      'UPDATE upload_blobs SET bytes = $2 WHERE store_id IN (SELECT id FROM upload_stores WHERE project_id = $1)',
      [id, 1_024 * 1_048_576],
    );
    const lists = (await taken()) - 1_024 * 1_048_576;
    // Three lists of a hundred paths, which are longer than 800 bytes, and one empty content.
    expect(lists).toBeGreaterThan(3 * 100 * 900);
    expect(lists).toBeLessThan(3 * 100 * 1_000);
  });

  it('replaces a store that lists of unchanged files have filled', async () => {
    const storeOf = async (): Promise<string> =>
      (
        await make.sql<{ id: string }>('SELECT id FROM upload_stores WHERE project_id = $1 AND retired_at IS NULL', [
          project,
        ])
      )[0]!.id;
    await begun({ a: 'same' });
    const first = await storeOf();
    await begun({ a: 'same' });
    expect(await storeOf()).toBe(first);
    await make.sql('UPDATE upload_stores SET list_bytes = 2 * 1048576 WHERE id = $1', [first]);
    expect((await begun({ a: 'same' })).missing).toHaveLength(1);
    expect(await storeOf()).not.toBe(first);
  });

  it('changes nothing in a dry run, and replays with an idempotency key', async () => {
    const files = announced({ 'index.html': uniqueName('x') });
    const dry = await app.post(
      `/api/v1/projects/${project}/uploads`,
      { files },
      as(key, { headers: { 'dry-run': 'true' } }),
    );
    expect(expectStatus(201, dry).body.meta.dry_run).toBe(true);
    expect(await make.sql('SELECT id FROM uploads WHERE project_id = $1', [project])).toEqual([]);
    const options = as(key, { headers: { 'idempotency-key': uniqueName('key') } });
    const answers = [
      await app.post(`/api/v1/projects/${project}/uploads`, { files }, options),
      await app.post(`/api/v1/projects/${project}/uploads`, { files }, options),
    ];
    expect(new Set(answers.map((answer) => expectStatus(201, answer).body.data.id)).size).toBe(1);
  });

  it('starts with an empty store when the old one is full, and keeps the lists of the last ten uploads', async () => {
    const half = randomBytes(1_000_000);
    for (let index = 0; index < 2; index++) {
      const { id } = await begun({ x: half });
      await put(id, framed([half]));
      half[0]! ^= 1;
    }
    half[0]! ^= 1;
    expect((await begun({ x: half })).missing).toEqual([]);
    half[1]! ^= 1;
    expect((await begun({ x: half })).missing).toHaveLength(1);
    half[1]! ^= 1;
    expect((await begun({ x: half })).missing).toHaveLength(1);
    for (let index = 0; index < 10; index++) await begun({ x: `${index}` });
    expect(await make.sql('SELECT id FROM uploads WHERE project_id = $1', [project])).toHaveLength(10);
  });
});

describe('PUT /api/v1/projects/:project_id/uploads/:upload_id/blobs', () => {
  it('returns 400 and stores nothing for content that is not what was announced', async () => {
    const { id } = await begun({ a: 'right', b: 'other' });
    const wrong = Buffer.concat([framed(['other']), Buffer.from(`${hashOf('right')}\nwrong`)]);
    for (const body of [
      wrong,
      framed(['other']).subarray(0, -1),
      framed(['other', 'other']),
      framed(['unknown']),
      Buffer.from('nonsense'),
      Buffer.alloc(0),
      randomBytes(900_000),
    ])
      expect(codeOf(await put(id, body))).toEqual([400, 'upload_content_invalid']);
    expect((await begun({ a: 'right', b: 'other' })).missing).toHaveLength(2);
    for (const directory of storeDirectories()) {
      const names = execFileSync('find', [join(dataDirectory, 'repositories/git', directory), '-name', 'incoming-*']);
      expect(names.toString()).toBe('');
    }
  });

  it('returns 401, 403, 404 and 415 where it should', async () => {
    const { id } = await begun({ a: 'x' });
    const eve = await make.key(await make.person({ plan: 'builder' }));
    const reader = await make.key(ada, { scopes: ['deploys:read'] });
    const body = framed(['x']);
    expect((await put(id, body, { by: '' })).status).toBe(401);
    expect(codeOf(await put(id, body, { by: reader }))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await put(id, body, { by: eve }))).toEqual([404, 'project_not_found']);
    expect(codeOf(await put(id, body, { by: eve, inProject: await newProject(eve) }))).toEqual([
      404,
      'upload_not_found',
    ]);
    expect(codeOf(await put(ABSENT, body))).toEqual([404, 'upload_not_found']);
    expect(codeOf(await put(id, body, { headers: { 'content-type': 'text/plain' } }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
    expect(codeOf(await put(id, body, { headers: { 'content-encoding': 'gzip' } }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
    const dry = await put(id, body, { headers: { 'dry-run': 'true' } });
    expect(dry.body).toMatchObject({ data: { missing: [hashOf('x')] }, meta: { dry_run: true } });
  });

  it('never tells that another tenant has the same content', async () => {
    const content = randomBytes(100);
    const { id } = await begun({ a: content });
    await put(id, framed([content]));
    const eve = await make.key(await make.person({ plan: 'builder' }));
    expect((await begun({ a: content }, eve, await newProject(eve))).missing).toEqual([hashOf(content)]);
  });

  it('stores content that two calls send at the same time', async () => {
    // In opposite orders, and often enough that rows locked in the order of the body would deadlock.
    for (let round = 0; round < 10; round++) {
      const contents = Array.from({ length: 100 }, () => randomBytes(100));
      const { id } = await begun(Object.fromEntries(contents.map((content, index) => [`${index}`, content])));
      const answers = await Promise.all(
        [contents, [...contents].reverse(), contents.slice(5)].map((part) => put(id, framed(part))),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await begun({ x: contents[7]! })).missing).toEqual([]);
    }
  });
});

describe('the schedule upload-retention', () => {
  it('deletes old uploads, and the content of projects that were deleted or upload nothing', async () => {
    const { id } = await begun({ a: 'kept' });
    await put(id, framed(['kept']));
    const doomed = await newProject();
    const other = await begun({ a: 'gone' }, key, doomed);
    await put(other.id, framed(['gone']), { inProject: doomed });
    const storeOf = async (of: string): Promise<string> =>
      (await make.sql<{ id: string }>('SELECT id FROM upload_stores WHERE project_id = $1', [of]))[0]!.id;
    const [kept, gone] = [await storeOf(project), await storeOf(doomed)];
    expectStatus(204, await app.call('DELETE', `/api/v1/projects/${doomed}`, as(key)));
    await app.runSchedule('upload-retention');
    expect(storeDirectories()).toContain(`${gone}.git`);
    await make.sql("UPDATE upload_stores SET retired_at = retired_at - interval '2 days' WHERE id = $1", [gone]);
    await app.runSchedule('upload-retention');
    expect(existsSync(join(dataDirectory, 'repositories/git', `${gone}.git`))).toBe(false);
    expect(await make.sql('SELECT id FROM uploads WHERE id = $1', [other.id])).toEqual([]);
    expect(storeDirectories()).toContain(`${kept}.git`);
    expect((await begun({ a: 'kept' })).missing).toEqual([]);

    await make.sql("UPDATE uploads SET created_at = created_at - interval '8 days' WHERE project_id = $1", [project]);
    await make.sql("UPDATE upload_stores SET used_at = used_at - interval '8 days' WHERE id = $1", [kept]);
    await app.runSchedule('upload-retention');
    expect(codeOf(await deploy(id))).toEqual([404, 'upload_not_found']);
    expect((await begun({ a: 'kept' })).missing).toHaveLength(1);
  });
});
