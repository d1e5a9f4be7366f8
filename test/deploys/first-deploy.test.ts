import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(180_000);
const LONG = 120_000;

/** Nothing is stood in for: a developer's git, builds in isolation, and the host name that a browser would open. */
describe('from sign-up to a live site', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'deploys-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ DATA_DIR: dataDirectory, DEPLOY_CONCURRENCY: '2' });
  const make = new Make(app);
  const git = new GitClient();
  let ada: Person;
  let key: string;
  let repoUrl: string;
  let project: string;

  beforeAll(async () => {
    ada = await make.person({ plan: 'builder' });
    key = await make.key(ada);
    const name = uniqueName('site');
    repoUrl = expectStatus(201, await app.post('/api/v1/repositories', { name }, as(key))).body.data.repo_url as string;
    project = expectStatus(201, await app.post('/api/v1/projects', { name, repo_url: repoUrl }, as(key))).body.data
      .id as string;
    await git.run([
      'clone',
      '--quiet',
      repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`)),
      'site',
    ]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: 'site' });
  });
  afterAll(() => {
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  async function push(files: Record<string, string>, branch = 'main'): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(git.path('site', path)), { recursive: true });
      writeFileSync(git.path('site', path), text);
    }
    await git.run(['add', '.'], { cwd: 'site' });
    await git.run(['commit', '--quiet', '-m', `Change ${Object.keys(files).join(' ')}`], { cwd: 'site' });
    await git.run(['push', '--quiet', 'origin', `HEAD:${branch}`], { cwd: 'site' });
    return git.run(['rev-parse', 'HEAD'], { cwd: 'site' });
  }
  const list = async (query = ''): Promise<any[]> =>
    expectStatus(200, await app.fetch(`/api/v1/projects/${project}/deploys${query}`, as(key))).body.data;
  const get = async (id: string): Promise<any> =>
    expectStatus(200, await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
  /** The deploy of this commit, once it is over. */
  async function deployOf(sha: string): Promise<any> {
    let found: any;
    await eventually(
      async () => {
        const deploys = await list();
        const lost = deploys.find(({ state, commit }) => state === 'error' && commit === undefined);
        if (lost !== undefined) throw new Error('A deploy did not find its commit');
        found = deploys.find(({ commit, finished_at: finishedAt }) => commit?.sha === sha && finishedAt !== undefined);
        return found !== undefined;
      },
      `a deploy of ${sha} is over`,
      LONG,
    ).catch(async (error: unknown) => {
      throw new Error(
        `${(error as Error).message}: ${JSON.stringify(
          [
            await list(),
            await make.sql('SELECT * FROM outbox_messages'),
            app
              .log()
              .filter(({ level }) => level !== 'info')
              .slice(-20),
          ],
          null,
          1,
        )}`,
        { cause: error },
      );
    });
    return found;
  }
  async function open(url: string, path = '/'): Promise<[number, string]> {
    const text = await app.raw(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`, {
      port: app.appsPort,
    });
    return [Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text];
  }
  const shows = (url: string, text: string, path = '/'): Promise<void> =>
    eventually(async () => (await open(url, path))[1].includes(text), `${url} shows ${text}`);
  const logOf = async (id: string): Promise<string> => (await app.fetch(`/api/v1/deploys/${id}/logs`, as(key))).text;

  it('publishes a pushed static site and every later push at a permanent URL', async () => {
    const first = await deployOf(await push({ 'index.html': '<h1>the first</h1>', 'about/index.html': 'about us' }));
    expect([first.error, await logOf(first.id as string)]).toEqual([undefined, expect.stringContaining('"ready"')]);
    expect(first).toMatchObject({
      state: 'ready',
      type: 'production',
      trigger: 'push',
      live: true,
      output: { kind: 'static' },
      commit: { author: 'Ada' },
    });
    await shows(first.aliases[0], 'the first');
    await shows(first.aliases[0], 'about us', '/about/');

    const second = await deployOf(await push({ 'index.html': '<h1>the second</h1>' }));
    expect(second).toMatchObject({ state: 'ready', live: true, aliases: first.aliases });
    await shows(second.aliases[0], 'the second');
    await shows(first.url, 'the first');
  });

  it('publishes a branch as a preview without changing production', async () => {
    const preview = await deployOf(await push({ 'index.html': '<h1>an idea</h1>' }, 'idea'));
    expect(preview).toMatchObject({ state: 'ready', type: 'preview', branch: 'idea', live: true });
    await shows(preview.aliases[0], 'an idea');
    const [live] = await list('?type=production&state=ready');
    await shows(live.aliases[0], 'the second');
  });

  it('builds with the project settings and variables, and keeps the live deploy when a build fails', async () => {
    await send(
      app,
      ['PUT', `/api/v1/projects/${project}/env`],
      { variables: [{ name: 'GREETING', value: 'hello-from-a-secret', targets: ['production'] }] },
      as(key),
    );
    await send(
      app,
      ['PATCH', `/api/v1/projects/${project}`],
      { build_command: 'sh build.sh', output_directory: 'out' },
      as(key),
    );
    const built = await deployOf(
      await push({ 'build.sh': 'mkdir out; echo "<p>$GREETING</p>" > out/index.html; echo "said $GREETING"' }),
    );
    expect([built.error, await logOf(built.id as string)]).toEqual([
      undefined,
      expect.stringContaining('said [secret]'),
    ]);
    await shows(built.aliases[0], 'hello-from-a-secret');

    const broken = await deployOf(await push({ 'build.sh': 'echo before; exit 3' }));
    expect(broken).toMatchObject({ state: 'error', live: false, error: { code: 'build_failed' } });
    expect(await logOf(broken.id as string)).toContain('"text":"before"');
    await shows(built.aliases[0], 'hello-from-a-secret');
  });

  it('rolls production back within seconds, without a build', async () => {
    const [current, earlier] = await list('?type=production&state=ready');
    const startedAtMs = performance.now();
    const back = expectStatus(200, await app.post(`/api/v1/projects/${project}/rollback`, {}, as(key))).body.data;
    expect(back).toMatchObject({ id: earlier.id, live: true, pinned: true });
    await shows(back.aliases[0], 'the second');
    expect(performance.now() - startedAtMs).toBeLessThan(onThisMachine(10_000));
    expect((await get(current.id as string)).live).toBe(false);
  });

  it('stops every process of a cancelled build', async () => {
    const sha = await push({ 'build.sh': 'echo sleeping; sleep 600' }, 'slow');
    let id = '';
    await eventually(
      async () => {
        const [found] = await list('?branch=slow');
        id = found?.id ?? '';
        return (
          id !== '' &&
          found.commit?.sha === sha &&
          (await app.fetch(`/api/v1/deploys/${id}/logs?follow=false`, as(key))).text.includes('sleeping')
        );
      },
      'it builds',
      LONG,
    );
    expectStatus(200, await app.call('POST', `/api/v1/deploys/${id}/cancel`, as(key)));
    const next = await deployOf(await push({ 'build.sh': 'mkdir out; echo quick > out/index.html' }, 'slow'));
    expect(next.state).toBe('ready');
    expect(await get(id)).toMatchObject({ state: 'canceled' });
  });

  it('starts a server with its variables before it receives traffic, and fails when it does not start', async () => {
    const name = uniqueName('server');
    const url = expectStatus(201, await app.post('/api/v1/repositories', { name }, as(key))).body.data
      .repo_url as string;
    project = expectStatus(201, await app.post('/api/v1/projects', { name, repo_url: url, framework: 'node' }, as(key)))
      .body.data.id as string;
    await send(
      app,
      ['PUT', `/api/v1/projects/${project}/env`],
      { variables: [{ name: 'GREETING', value: 'hello from a variable', targets: ['production'] }] },
      as(key),
    );
    await git.run(
      ['remote', 'set-url', 'origin', url.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`))],
      { cwd: 'site' },
    );
    await git.run(['rm', '-rq', '.'], { cwd: 'site' });
    const files = {
      'package.json': JSON.stringify({ name: 'server', private: true, scripts: { start: 'node server.js' } }),
      'server.js':
        'require("http").createServer((_, ' +
        'answer) => answer.end(process.env.GREETING)).listen(process.env.PORT, process.env.HOSTNAME);',
    };
    const server = await deployOf(await push(files));
    expect([server.error, await logOf(server.id as string)]).toEqual([
      undefined,
      expect.stringContaining('The server responds.'),
    ]);
    expect(server).toMatchObject({ state: 'ready', live: true, output: { kind: 'server' } });
    await shows(server.aliases[0], 'hello from a variable');

    const broken = await deployOf(await push({ 'server.js': 'console.error("no way"); process.exit(1);' }));
    expect(broken).toMatchObject({ state: 'error', error: { code: 'server_did_not_start' } });
    expect(await logOf(broken.id as string)).toContain('no way');
    await shows(server.aliases[0], 'hello from a variable');
  });
});
