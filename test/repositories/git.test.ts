import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ConcurrencyLimitService } from '../../src/modules/limits/concurrency-limit.service.js';
import { GitPlaces } from '../../src/modules/repositories/git/git-places.js';
import { RepositoriesService } from '../../src/modules/repositories/hosted/repositories.service.js';
import { OutboxRelay } from '../../src/platform/outbox/outbox-relay.js';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, type Org, type Person } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const PATH = '/api/v1/repositories';
const QUOTA_MIB = 24;

describe('git over HTTP', () => {
  // The relay does not run here, so that what is enqueued stays in the outbox to be looked at.
  const dataDirectory = mkdtempSync(join(tmpdir(), 'repositories-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ REPOSITORY_MAX_MIB: String(QUOTA_MIB), DATA_DIR: dataDirectory }, 'api');
  const make = new Make(app);
  const git = new GitClient();
  let ada: Person;
  let key: string;
  let number = 0;

  beforeAll(async () => {
    ada = await make.person({ plan: 'enterprise' });
    key = await make.key(ada);
  });
  afterAll(() => {
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const pathOf = (slug: string, name: string): string => `/git/${slug}/${name}.git`;
  const urlOf = (path: string, secret: string | undefined = key): string =>
    app.url.replace('//', secret === '' ? '//' : `//any:${secret}@`) + path;
  const created = async (body: object = {}): Promise<{ id: string; name: string; path: string }> => {
    const name = `repo-${++number}`;
    const { data } = expectStatus(201, await app.post(PATH, { name, ...body }, as(key))).body;
    return { id: data.id, name, path: pathOf(ada.organization.slug, name) };
  };
  /** A clone with one commit on `main` that is pushed. */
  const pushedClone = async (path: string, directory = `clone-${++number}`): Promise<string> => {
    await git.run(['clone', '--quiet', urlOf(path), directory]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: directory });
    await commit(directory, 'README.md', '# hello\n');
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: directory });
    return directory;
  };
  const commit = async (directory: string, file: string, content: string | Buffer): Promise<string> => {
    writeFileSync(git.path(directory, file), content);
    await git.run(['add', '.'], { cwd: directory });
    await git.run(['commit', '--quiet', '-m', `Change ${file}`], { cwd: directory });
    return git.run(['rev-parse', 'HEAD'], { cwd: directory });
  };
  const pushes = async (id: string): Promise<Record<string, unknown>[]> =>
    (
      await make.sql<{ payload: Record<string, unknown> }>(
        `SELECT envelope->'payload' AS payload FROM outbox_messages
          WHERE queue = 'repository-pushed' AND envelope->'payload'->>'repositoryId' = $1 ORDER BY id`,
        [id],
      )
    ).map(({ payload }) => payload);
  const basic = (secret: string): { headers: Record<string, string> } => ({
    headers: { authorization: `Basic ${Buffer.from(`any:${secret}`).toString('base64')}` },
  });
  /** Programs of git that work on a repository of this app. */
  const programsOf = (id: string): string[] =>
    execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(id));
  const located = async (path: string, org: Pick<Org, 'id'> = ada.organization): Promise<string> =>
    (await app.get(RepositoriesService).locate(org.id, app.config.publicUrl + path))!.path;

  it('shows the last push and the branches with their commits, also of commits that are made to hurt', async () => {
    const { id, path } = await created({ template: 'nextjs' });
    const shown = async (): Promise<any> => expectStatus(200, await app.fetch(`${PATH}/${id}`, as(key))).body.data;
    const branches = async (query = '', by = key): Promise<Answer> =>
      app.fetch(`${PATH}/${id}/branches${query}`, as(by));
    expect(await shown()).not.toHaveProperty('last_push');
    const [main] = expectStatus(200, await branches()).body.data;
    expect(main).toEqual({
      name: 'main',
      is_default: true,
      commit: {
        sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        message: 'Start from the template nextjs',
        committed_at: expect.any(String),
      },
    });

    const directory = `clone-${++number}`;
    await git.run(['clone', '--quiet', urlOf(path), directory]);
    writeFileSync(git.path(directory, 'a.txt'), 'a');
    await git.run(['add', '.'], { cwd: directory });
    await git.run(['commit', '--quiet', '-m', 'Add a\n\nand more'], { cwd: directory });
    const sha = await git.run(['rev-parse', 'HEAD'], { cwd: directory });
    await git.run(['checkout', '--quiet', '-b', 'huge'], { cwd: directory });
    const file = git.path(directory, '.git/message');
    writeFileSync(file, 'x'.repeat(100_000));
    await git.run(['commit', '--quiet', '--allow-empty', '-F', file], { cwd: directory });
    await git.run(['checkout', '--quiet', '-b', 'ugly', 'main'], { cwd: directory });
    writeFileSync(file, `\u001b[31m${'ä'.repeat(2_000)}`);
    await git.run(['commit', '--quiet', '--allow-empty', '-F', file], { cwd: directory });
    await git.run(['push', '--quiet', 'origin', 'huge', 'ugly'], { cwd: directory });
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: directory });

    expect((await shown()).last_push).toEqual({
      at: expect.any(String),
      branch: 'main',
      commit: { sha, message: 'Add a', committed_at: expect.any(String) },
    });
    const [listed] = expectStatus(200, await app.fetch(`${PATH}?limit=1`, as(key))).body.data;
    expect(listed.last_push.commit.message).toBe('Add a');
    const { data: all } = expectStatus(200, await branches()).body;
    expect(all.map(({ name, is_default }: any) => [name, is_default])).toEqual([
      ['huge', false],
      ['main', true],
      ['ugly', false],
    ]);
    expect(all[0].commit).toEqual({ sha: expect.any(String) });
    expect(all[2].commit.message).toBe(`[31m${'ä'.repeat(195)}…`);

    const first = expectStatus(200, await branches('?limit=2')).body;
    expect([first.data.length, first.meta.has_more]).toEqual([2, true]);
    const rest = expectStatus(200, await branches(`?cursor=${first.meta.next_cursor as string}`)).body;
    expect(rest.data.map(({ name }: any) => name)).toEqual(['ugly']);
    await git.run(['push', '--quiet', 'origin', '--delete', 'ugly'], {
      cwd: directory,
    });
    expect((await branches()).body.data).toHaveLength(2);
  });

  it('refuses the branches of a repository to whom they do not concern', async () => {
    const { id } = await created();
    const at = `${PATH}/${id}/branches`;
    expect(expectStatus(200, await app.fetch(at, as(key))).body.data).toEqual([]);
    for (const query of ['?limit=0', '?limit=101', '?cursor=repo', '?cursor=Li4', '?cursor=bWFpbg%3D%3D', '?page=2'])
      expect([query, expectStatus(400, await app.fetch(at + query, as(key))).body.error.code]).toEqual([
        query,
        'invalid_request',
      ]);
    expect((await app.fetch(at)).body.error.code).toBe('missing_api_key');
    const weak = await make.key(ada, { scopes: ['repositories:write'] });
    expect((await app.fetch(at, as(weak))).body.error.code).toBe('insufficient_scopes');
    const outsider = await make.key(await make.person());
    const [theirs, absent] = [
      await app.fetch(at, as(outsider)),
      await app.fetch(`${PATH}/repo_00000000000000000000000000/branches`, as(outsider)),
    ];
    expect([theirs.status, theirs.body.error.code]).toEqual([404, 'repository_not_found']);
    expect(theirs.text.replace(/req_\w+/, '')).toBe(absent.text.replace(/req_\w+/, ''));
  });

  it('clones a template, accepts pushes, and reports each changed branch once', async () => {
    const { id, path } = await created();
    const clone = await pushedClone(path);
    const first = await git.run(['rev-parse', 'main'], { cwd: clone });
    expect(await pushes(id)).toEqual([
      {
        repositoryId: id,
        orgId: ada.organization.id,
        repoUrl: `http://api.test${path}`,
        branch: 'main',
        commitSha: first,
        pusherId: ada.user.id,
      },
    ]);

    await git.run(['checkout', '--quiet', '-b', 'feature/ünï'], { cwd: clone });
    const second = await commit(clone, 'a.txt', 'a');
    await git.run(['tag', '-a', 'v1', '-m', 'one'], { cwd: clone });
    await git.run(['branch', 'same'], { cwd: clone });
    await git.run(['push', '--quiet', '--tags', 'origin', 'feature/ünï', 'same', 'main'], { cwd: clone });
    expect(
      (await pushes(id))
        .slice(1)
        .map(({ branch, commitSha }) => [branch, commitSha])
        .sort(),
    ).toEqual([
      ['feature/ünï', second],
      ['same', second],
    ]);

    await git.run(['push', '--quiet', 'origin', ':same'], { cwd: clone });
    expect((await pushes(id)).slice(3)).toMatchObject([{ branch: 'same', commitSha: null }]);
    await git.run(['push', 'origin', 'main'], { cwd: clone });
    expect(await pushes(id)).toHaveLength(4);
    expect(
      (await git.run(['ls-remote', urlOf(path)]))
        .split('\n')
        .map((line) => line.split('\t')[1])
        .sort(),
    ).toEqual(['HEAD', 'refs/heads/feature/ünï', 'refs/heads/main', 'refs/tags/v1', 'refs/tags/v1^{}']);
    await git.run(['clone', '--quiet', '--depth', '1', '--filter=blob:none', urlOf(path), 'shallow']);
    expect(await git.run(['rev-parse', 'HEAD'], { cwd: 'shallow' })).toBe(first);
  });

  it('accepts a forced push, and refuses to delete the default branch', async () => {
    const { id, path } = await created();
    const clone = await pushedClone(path);
    await git.run(['commit', '--quiet', '--amend', '-m', 'Another'], { cwd: clone });
    const amended = await git.run(['rev-parse', 'HEAD'], { cwd: clone });
    expect((await git.try(['push', 'origin', 'main'], { cwd: clone })).status).not.toBe(0);
    await git.run(['push', '--quiet', '--force', 'origin', 'main'], { cwd: clone });
    expect((await pushes(id)).at(-1)).toMatchObject({ branch: 'main', commitSha: amended });
    const refused = await git.try(['push', 'origin', ':main'], { cwd: clone });
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('deletion of the current branch prohibited');
    expect(await pushes(id)).toHaveLength(2);
  });

  it('returns 401 with Basic, 403 without the scope, and 404 for another organization', async () => {
    const { name, path } = await created();
    const refs = `${path}/info/refs?service=git-upload-pack`;
    const anonymous = await app.fetch(refs);
    expect([anonymous.status, anonymous.headers.get('www-authenticate'), anonymous.body.error.code]).toEqual([
      401,
      expect.stringMatching(/^Basic realm=/),
      'missing_api_key',
    ]);
    expect((await app.fetch(refs, basic(ada.sessionToken))).body.error.code).toBe('session_token_not_allowed');
    expect((await app.fetch(refs, basic('wrong'))).body.error.code).toBe('malformed_api_key');

    const asked = await git.try(['ls-remote', urlOf(path, '')]);
    expect(asked.status).not.toBe(0);
    expect(asked.stderr).toMatch(/could not read Username|terminal prompts disabled/);

    const reader = await make.key(ada, { scopes: ['repositories:read'] });
    const clone = `reader-${number}`;
    await git.run(['clone', '--quiet', urlOf(path, reader), clone]);
    await commit(clone, 'a', 'a');
    const refused = await git.try(['push', 'origin', 'HEAD:main'], { cwd: clone });
    expect(refused.stderr).toMatch(/403/);
    expect((await app.call('POST', `${path}/git-receive-pack`, { ...basic(reader), body: '0000' })).status).toBe(403);
    const writer = await make.key(ada, { scopes: ['repositories:write'] });
    expect([
      (await app.fetch(refs, basic(writer))).status,
      (await app.fetch(refs.replace('upload', 'receive'), basic(writer))).status,
    ]).toEqual([403, 200]);

    const outsider = await make.key(await make.person());
    const [theirs, absent] = [
      await app.fetch(refs, basic(outsider)),
      await app.fetch(refs.replace(name, 'nothing'), basic(outsider)),
    ];
    expect([theirs.status, theirs.body.error.code]).toEqual([404, 'repository_not_found']);
    expect(theirs.text.replace(/req_\w+/, '…')).toBe(absent.text.replace(/req_\w+/, '…'));

    const other = await make.org(ada, { plan: 'builder' });
    const bound = await make.key(ada, { kind: 'org_bound', org_id: other.id });
    expect((await app.fetch(refs, basic(bound))).body.error.code).toBe('key_org_mismatch');
  });

  it('rejects a revoked key on the next request, on another instance too', async () => {
    const { path } = await created();
    const other = await app.another();
    try {
      const { data } = expectStatus(201, await app.post('/api/v1/keys', { name: 'short-lived' }, as(ada))).body;
      const refs = `${path}/info/refs?service=git-upload-pack`;
      for (const instance of [app, other])
        expect((await instance.fetch(refs, basic(data.secret as string))).status).toBe(200);
      expectStatus(204, await app.call('DELETE', `/api/v1/keys/${data.id as string}`, as(ada)));
      for (const instance of [app, other]) {
        const answer = await instance.fetch(refs, basic(data.secret as string));
        expect([answer.status, answer.body.error.code]).toEqual([401, 'revoked_api_key']);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Basic/);
      }
    } finally {
      await other.stop();
    }
  });

  it('counts against the call budget of the key and returns its headers', async () => {
    const { path } = await created();
    const before = Number((await app.fetch(PATH, as(key))).headers.get('x-service-calls-remaining'));
    const answer = await app.fetch(`${path}/info/refs?service=git-upload-pack`, basic(key));
    expect(before - Number(answer.headers.get('x-service-calls-remaining'))).toBe(before > 2_000_000_000 ? 0 : 1);
    expect(answer.headers.get('x-service-tier')).toBe('enterprise');
  });

  it('serves only its three paths', async () => {
    const { id, path } = await created({ template: 'nextjs' });
    for (const [method, below] of [
      ['GET', '/HEAD'],
      ['GET', '/config'],
      ['GET', '/objects/info/packs'],
      ['GET', '/info/refs'],
      ['GET', '/info/refs?service=git-upload-archive'],
      ['GET', '/info/refs?service=git-upload-pack%00'],
      ['GET', '/info/refs?service=--help'],
      ['POST', '/git-upload-archive'],
      ['GET', '/git-upload-pack'],
      ['GET', '/../../../etc/passwd'],
      ['GET', '/%2e%2e/%2e%2e/info/refs?service=git-upload-pack'],
      ['GET', '//info/refs?service=git-upload-pack'],
    ] as const) {
      const answer = await app.call(method, path + below, basic(key));
      expect([below, answer.status >= 400 && answer.status < 500]).toEqual([below, true]);
      expect(answer.text).not.toMatch(/repositoryformatversion|root:/);
    }
    const { slug } = ada.organization;
    for (const hostile of [
      `/git/${slug}/..%2f${id}.git`,
      `/git/${slug}/%2e%2e%2f%2e%2e.git`,
      `/git/../${slug}/x.git`,
      `/git/${slug}/${id}.git`,
      `/git/${slug}/a%00b.git`,
      `/git/${slug}/%ff.git`,
      `/git/${slug}/-u.git`,
      `/git/..%2f..%2fetc/passwd.git`,
      `/git/${slug}/x'%20OR%20'1.git`,
    ]) {
      const answer = await app.fetch(`${hostile}/info/refs?service=git-upload-pack`, basic(key));
      expect([hostile, [400, 403, 404].includes(answer.status)]).toEqual([hostile, true]);
    }
    // The names that a URL parser would resolve before they are sent.
    expect(
      await app.raw(
        'GET /git/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n' +
          `Authorization: Basic ${Buffer.from(`a:${key}`).toString('base64')}\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 404/);
  });

  it('accepts chunked and gzip bodies, and no other content type', async () => {
    const { path } = await created();
    const clone = await pushedClone(path);
    // More than git sends at once: it asks first, and then sends chunks.
    await commit(clone, 'large.bin', randomBytes(3 * 1_048_576));
    await git.run(['-c', 'http.postBuffer=65536', 'push', '--quiet', 'origin', 'main'], { cwd: clone });
    // Git compresses long requests.
    const zipped = gzipSync('0014command=ls-refs\n0000');
    const asked = (body: Buffer): Promise<Response> =>
      fetch(`${app.url}${path}/git-upload-pack`, {
        method: 'POST',
        headers: {
          ...basic(key).headers,
          'content-type': 'application/x-git-upload-pack-request',
          'content-encoding': 'gzip',
          'git-protocol': 'version=2',
        },
        body: new Uint8Array(body),
      });
    const refs = await asked(zipped);
    expect([refs.status, refs.headers.get('content-type'), await refs.text()]).toEqual([
      200,
      'application/x-git-upload-pack-result',
      expect.stringContaining('refs/heads/main'),
    ]);
    const torn = await asked(zipped.subarray(0, 20)).then(
      async (answer) => answer.text(),
      () => '',
    );
    expect(torn).not.toContain('refs/heads/main');
    await git.run(['clone', '--quiet', urlOf(path), `${clone}-again`]);
    expect(await git.run(['rev-parse', 'HEAD'], { cwd: `${clone}-again` })).toBe(
      await git.run(['rev-parse', 'HEAD'], { cwd: clone }),
    );
    for (const type of ['application/json', 'application/x-git-upload-pack-request']) {
      expect(
        (
          await app.call('POST', `${path}/git-receive-pack`, {
            headers: { ...basic(key).headers, 'content-type': type },
            body: '0000',
          })
        ).status,
      ).toBe(415);
    }
  });

  it('waits longer for a request body than the API does', async () => {
    const { path } = await created();
    await pushedClone(path);
    const server = app.nest.getHttpServer() as Server;
    const { headersTimeout, requestTimeout } = server;
    Object.assign(server, { headersTimeout: 1_000, requestTimeout: 1_000 });
    const slowly = (target: string, type: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(app.port, '127.0.0.1');
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        socket.once('error', reject).once('close', () => {
          resolve(text);
        });
        socket.write(
          [
            `POST ${target} HTTP/1.1`,
            'Host: x',
            'Connection: close',
            `Authorization: Basic ${Buffer.from(`a:${key}`).toString('base64')}`,
            `X-API-Key: ${key}`,
            'Git-Protocol: version=2',
            `Content-Type: ${type}`,
            'Expect: 100-continue',
            'Transfer-Encoding: chunked',
            '',
            '14\r\n0014command=ls-refs\n\r\n',
          ].join('\r\n'),
        );
        // The server looks once a second for those that are late.
        setTimeout(() => {
          socket.write('4\r\n0000\r\n0\r\n\r\n');
        }, 3_500);
      });
    try {
      const [patient, impatient] = await Promise.all([
        slowly(`${path}/git-upload-pack`, 'application/x-git-upload-pack-request'),
        slowly('/api/v1/auth/sign-in', 'application/json'),
      ]);
      expect(patient).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
      expect(patient).toContain('refs/heads/main');
      expect(impatient).toContain('408');
    } finally {
      Object.assign(server, { headersTimeout, requestTimeout });
    }
  });

  it('limits concurrent requests per organization without affecting others', async () => {
    const { path } = await created();
    const limits = app.get(ConcurrencyLimitService);
    const limit = { name: 'git', places: 16, lifetimeMs: 60_000 };
    for (let holder = 0; holder < limit.places; holder++) await limits.take(limit, ada.organization.id, String(holder));
    const refs = `${path}/info/refs?service=git-upload-pack`;
    const refused = await app.fetch(refs, basic(key));
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'concurrency_limit_exceeded',
      '2',
    ]);
    await limits.end(limit, ada.organization.id, '7');
    // A place that is given back is there for the next, again and again.
    for (let turn = 0; turn < 3; turn++) expect((await app.fetch(refs, basic(key))).status).toBe(200);
    for (let holder = 0; holder < limit.places; holder++) await limits.end(limit, ada.organization.id, String(holder));

    // And one process for all of them.
    const places = app.get(GitPlaces);
    while (places.take());
    const busy = await app.fetch(refs, basic(key));
    expect([busy.status, busy.body.error.code, busy.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '5',
    ]);
    for (let place = 0; place < places.count; place++) places.giveBack();
    expect((await app.fetch(refs, basic(key))).status).toBe(200);
  });

  it('rejects a push over the repository limit, and keeps none of it', async () => {
    const { id, path } = await created();
    const clone = await pushedClone(path);
    const good = await git.run(['rev-parse', 'HEAD'], { cwd: clone });
    await commit(clone, 'huge.bin', randomBytes(50 * 1_048_576));
    const refused = await git.try(['push', 'origin', 'main'], { cwd: clone });
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/maximum allowed size|unpack/);
    expect((await git.run(['ls-remote', urlOf(path), 'main'])).split('\t')[0]).toBe(good);
    expect(await pushes(id)).toHaveLength(1);
    const [kibibytes] = execFileSync('du', ['-sk', await located(path)], { encoding: 'utf8' }).split('\t');
    expect(Number(kibibytes)).toBeLessThan(QUOTA_MIB * 1_024);
    expect(programsOf(id)).toEqual([]);
  });

  it('shares the repository limit among concurrent pushes', async () => {
    const { id, path } = await created();
    const clone = await pushedClone(path);
    await commit(clone, 'large.bin', randomBytes(10 * 1_048_576));
    // A push of unknown length that has begun and does not go on: it may still bring what it has reserved.
    const held = connect(app.port, '127.0.0.1').on('error', () => undefined);
    held.write(
      [
        `POST ${path}/git-receive-pack HTTP/1.1`,
        'Host: x',
        `Authorization: Basic ${Buffer.from(`a:${key}`).toString('base64')}`,
        'Content-Type: application/x-git-receive-pack-request',
        'Transfer-Encoding: chunked',
        '',
        '4\r\n0066\r\n',
      ].join('\r\n'),
    );
    const reserved = async (): Promise<number> =>
      Number(
        (
          await make.sql<{ bytes: string }>(
            'SELECT coalesce(sum(bytes), 0) AS bytes FROM push_reservations WHERE repository_id = $1',
            [id],
          )
        )[0]!.bytes,
      );
    await eventually(async () => (await reserved()) > 15 * 1_048_576, 'its room is reserved', 15_000);
    const refused = await git.try(['push', 'origin', 'main'], { cwd: clone });
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/429|maximum allowed size/);
    // A small one has its place beside it.
    await git.run(['push', '--quiet', 'origin', 'HEAD~1:refs/heads/small'], { cwd: clone });
    held.destroy();
    await eventually(async () => (await reserved()) === 0, 'its room is given back', 15_000);
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: clone });
    expect(await reserved()).toBe(0);
  });

  it('stays within the repository limit under concurrent pushes', async () => {
    const { path } = await created();
    const clone = await pushedClone(path);
    await Promise.all(
      [1, 2, 3, 4].map(async (n) => {
        const own = `${clone}-${n}`;
        await git.run(['clone', '--quiet', urlOf(path), own]);
        await commit(own, `large-${n}.bin`, randomBytes(10 * 1_048_576));
        return git.try(['push', 'origin', `HEAD:refs/heads/b${n}`], { cwd: own });
      }),
    );
    const [kibibytes] = execFileSync('du', ['-sk', await located(path)], { encoding: 'utf8' }).split('\t');
    expect(Number(kibibytes)).toBeLessThan(QUOTA_MIB * 1_024);
  });

  it('stores small changes to a large file as deltas', async () => {
    const { path } = await created();
    const clone = await pushedClone(path);
    const large = randomBytes(3 * 1_048_576);
    for (let n = 0; n < 12; n++) await commit(clone, `copy-${n}.bin`, Buffer.concat([large, Buffer.from([n])]));
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: clone });
    const [kibibytes] = execFileSync('du', ['-sk', await located(path)], { encoding: 'utf8' }).split('\t');
    expect(Number(kibibytes)).toBeLessThan(12 * 1_024);
  });

  it('rejects a push to a full repository before the upload, with a message that git shows', async () => {
    const { id, path } = await created();
    const clone = await pushedClone(path);
    await make.sql('UPDATE repositories SET size_bytes = $2 WHERE id = $1', [id, QUOTA_MIB * 1_048_576]);
    await commit(clone, 'a', 'a');
    const refused = await git.try(['push', 'origin', 'main'], { cwd: clone });
    expect(refused.stderr).toContain('Repository size limit reached');
    expect(refused.stderr).toContain('413');
    await git.run(['fetch', '--quiet'], { cwd: clone });
  });

  it('rejects corrupt objects', async () => {
    const { id, path } = await created();
    const clone = await pushedClone(path);
    const blob = await git.run(['hash-object', '-w', '--stdin'], { cwd: clone, input: 'evil' });
    // A tree with a file of git's own name in it, which a checkout would write into the repository.
    const tree = await git.run(['mktree', '-z'], { cwd: clone, input: `100644 blob ${blob}\tREADME\0` });
    const rawTree = Buffer.concat([Buffer.from('40000 .git\0'), Buffer.from(tree, 'hex')]);
    writeFileSync(git.path(clone, '..', 'raw-tree'), rawTree);
    const evil = await git.run(['hash-object', '-t', 'tree', '-w', '--literally', git.path('raw-tree')], {
      cwd: clone,
    });
    const head = await git.run(['commit-tree', evil, '-m', 'evil'], { cwd: clone });
    const refused = await git.try(['push', 'origin', `${head}:refs/heads/evil`], { cwd: clone });
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/hasDotgit|fsck|unpack/);
    expect((await pushes(id)).map(({ branch }) => branch)).toEqual(['main']);
  });

  it('runs no pushed code and keeps no hook', async () => {
    const { path } = await created();
    const clone = await pushedClone(path);
    const trace = git.path(`trace-${number}`);
    for (const directory of ['hooks', 'objects/hooks']) {
      mkdirSync(git.path(clone, directory), { recursive: true });
      for (const hook of [
        'pre-receive',
        'update',
        'post-receive',
        'post-update',
        'reference-transaction',
        'proc-receive',
      ]) {
        writeFileSync(git.path(clone, directory, hook), `#!/bin/sh\necho ran > '${trace}'\n`, { mode: 0o755 });
      }
    }
    await commit(clone, 'config', '[core]\n\thooksPath = hooks\n\tfsmonitor = "touch /tmp/x"\n');
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: clone });
    expect(existsSync(trace)).toBe(false);
    const directory = await located(path);
    expect(existsSync(`${directory}/hooks`)).toBe(false);
    // Not even one that is there, however it came.
    mkdirSync(`${directory}/hooks`);
    for (const hook of ['pre-receive', 'update', 'post-receive', 'reference-transaction'])
      writeFileSync(`${directory}/hooks/${hook}`, '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
    await commit(clone, 'again', 'again');
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: clone });
    expect(readdirSync(directory)).not.toContain('ran');
    expect(readFileSync(`${directory}/config`, 'utf8')).not.toContain('fsmonitor');
  });

  it('accepts two concurrent pushes and reports both', async () => {
    const { id, path } = await created();
    const one = await pushedClone(path);
    const clones = [one, `${one}-two`, `${one}-three`];
    for (const clone of clones.slice(1)) await git.run(['clone', '--quiet', urlOf(path), clone]);
    const shas = await Promise.all(
      clones.map(async (clone, index) => {
        await git.run(['checkout', '--quiet', '-b', `branch-${index}`], { cwd: clone });
        return commit(clone, `file-${index}`, randomBytes(100_000));
      }),
    );
    await Promise.all(
      clones.map((clone, index) => git.run(['push', '--quiet', 'origin', `branch-${index}`], { cwd: clone })),
    );
    expect(
      (await pushes(id))
        .slice(1)
        .map(({ branch, commitSha }) => [branch, commitSha])
        .sort(),
    ).toEqual(shas.map((sha, index) => [`branch-${index}`, sha]));
    // When several clones push to one branch, the first one wins and the others are refused.
    const outcomes = await Promise.all(clones.map((clone) => git.try(['push', 'origin', 'HEAD:race'], { cwd: clone })));
    expect(outcomes.filter(({ status }) => status === 0)).toHaveLength(1);
    expect((await pushes(id)).filter(({ branch }) => branch === 'race')).toHaveLength(1);
  });

  it('cleans up after a caller that disconnects during a push', async () => {
    const { id, path } = await created();
    const clone = await pushedClone(path);
    await commit(clone, 'large.bin', randomBytes(4 * 1_048_576));
    const pack = await git.try(['pack-objects', '--stdout', '--revs', '-q'], { cwd: clone, input: 'HEAD\n' });
    expect(pack.status).toBe(0);
    const sha = await git.run(['rev-parse', 'HEAD'], { cwd: clone });
    const command = `${'0'.repeat(40)} ${sha} refs/heads/torn\0 report-status`;
    const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000PACK\0\0\0\x02\0\0\0\x09`;
    const socket = connect(app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      [
        `POST ${path}/git-receive-pack HTTP/1.1`,
        'Host: x',
        `Authorization: Basic ${Buffer.from(`a:${key}`).toString('base64')}`,
        'Content-Type: application/x-git-receive-pack-request',
        'Content-Length: 5000000',
        '',
        '',
      ].join('\r\n'),
    );
    socket.write(Buffer.from(line, 'latin1'));
    const store = await located(path);
    // Only this push counts, as other tests push at the same time. Its environment names the repository.
    const pids = (): string[] =>
      readdirSync('/proc').filter((pid) => procFile(pid, 'environ').includes(`PATH_INFO=/${id}.git/git-receive-pack`));
    const programs = (): string[] => pids().map((pid) => procFile(pid, 'cmdline'));
    await eventually(
      () => programs().some((command) => /index-pack|unpack-objects/.test(command)),
      'git receives',
      15_000,
    );
    // It must not keep the calls of others waiting.
    const isBehind = (pid: string): boolean => getPriority(Number(pid)) > getPriority();
    await eventually(() => pids().every(isBehind), 'git gives way to calls');
    socket.destroy();
    await eventually(() => programs().length === 0, 'git has ended', 15_000);
    await eventually(
      () => !execFileSync('ls', [`${store}/objects`], { encoding: 'utf8' }).includes('incoming'),
      'nothing is left half-way',
      15_000,
    );
    expect((await pushes(id)).map(({ branch }) => branch)).toEqual(['main']);
    await eventually(
      async () =>
        (await make.sql<{ push_begun_at: unknown }>('SELECT push_begun_at FROM repositories WHERE id = $1', [id]))[0]
          ?.push_begun_at === null,
      'the push is over',
      15_000,
    );
  });

  it('serves linked repositories to their organization only', async () => {
    const { id, path } = await created({ template: 'nextjs' });
    const service = app.get(RepositoriesService);
    expect(await service.locate(ada.organization.id, `http://api.test${path}`)).toEqual({
      repositoryId: id,
      path: expect.stringContaining(id),
    });
    // A build has a user of its own, who may look and not touch.
    const asBuild = process.getuid?.() === 0 ? { uid: 65_520, gid: 65_520 } : {};
    const environment = {
      PATH: process.env['PATH'],
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    };
    const store = await located(path);
    expect(
      execFileSync('git', ['--git-dir', store, 'rev-parse', 'main'], {
        ...asBuild,
        cwd: '/',
        env: environment,
        encoding: 'utf8',
      }),
    ).toMatch(/^[0-9a-f]{40}\n$/);
    if (process.getuid?.() === 0) {
      expect(() => execFileSync('touch', [`${store}/x`], { ...asBuild, cwd: '/', stdio: 'ignore' })).toThrow();
      expect(() => execFileSync('ls', [join(store, '..')], { ...asBuild, cwd: '/', stdio: 'ignore' })).toThrow();
    }
    expect(await service.locate(ada.organization.id, 'https://github.com/acme/shop')).toBeNull();
    const { organization: other } = await make.person();
    for (const url of [
      `http://api.test${path}`,
      `http://api.test/git/${other.slug}/nothing.git`,
      'http://api.test/git/x',
    ]) {
      await expect(service.locate(other.id, url)).rejects.toMatchObject({ code: 'repository_not_found' });
    }
  });

  it('queues a job for each push', async () => {
    const { id, path } = await created();
    const worker = await app.another({ role: 'worker' });
    try {
      await pushedClone(path);
      expect(worker.get(OutboxRelay)).toBeDefined();
      await eventually(async () => (await pushes(id)).length === 0, 'the relay has taken it', 15_000);
    } finally {
      await worker.stop();
    }
  });

  it('counts requests by outcome', async () => {
    const { text } = await app.fetch('/metrics');
    const value = (line: string): number => Number(new RegExp(`^${line} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(
      value('git_exchanges_total{service="git-receive-pack",outcome="done"}'.replace(/[{}]/g, '\\$&')),
    ).toBeGreaterThan(10);
    expect(value('git_exchanges_total{service="git-receive-pack",outcome="left"}'.replace(/[{}]/g, '\\$&'))).toBe(2);
    expect(value('git_exchanges_running')).toBe(0);
    expect(value('git_branches_pushed_total')).toBeGreaterThan(10);
  });

  it('never logs a key', () => {
    // `useApp` looks at the whole log when it stops; here it is looked for in another form.
    expect(JSON.stringify(app.log())).not.toContain(Buffer.from(`any:${key}`).toString('base64').slice(8, 40));
  });
});

/** Empty for a process that has ended. */
function procFile(pid: string, name: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
