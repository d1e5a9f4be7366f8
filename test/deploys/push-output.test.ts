import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuildFailed } from '../../src/modules/builds/build-failed.js';
import { DeploysStore } from '../../src/modules/deploys/persistence/deploys.store.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { GitClient, type GitOutcome } from '../support/git-client.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

describe('git push', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'pushes-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ DATA_DIR: dataDirectory, DEPLOY_CONCURRENCY: '4' });
  const builds = new FakeBuilds(app);
  const make = new Make(app);
  const git = new GitClient();
  let ada: Person;
  let key: string;
  let number = 0;

  beforeAll(async () => {
    ada = await make.person({ plan: 'builder' });
    key = await make.key(ada);
  });
  afterAll(() => {
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  interface Clone {
    readonly directory: string;
    readonly repoUrl: string;
  }

  async function clone(by = key): Promise<Clone> {
    const directory = `clone-${++number}`;
    const { data } = expectStatus(
      201,
      await app.post('/api/v1/repositories', { name: uniqueName('repo') }, as(by)),
    ).body;
    const repoUrl = data.repo_url as string;
    await git.run(['clone', '--quiet', authorized(repoUrl, by), directory]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: directory });
    await commit(directory);
    return { directory, repoUrl };
  }
  const authorized = (repoUrl: string, by: string): string =>
    repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${by}@`));
  async function commit(directory: string): Promise<void> {
    writeFileSync(git.path(directory, 'index.html'), String(++number));
    await git.run(['add', '.'], { cwd: directory });
    await git.run(['commit', '--quiet', '-m', 'Change'], { cwd: directory });
  }
  async function link(repoUrl: string, by = key): Promise<{ id: string; slug: string }> {
    const body = { name: uniqueName('shop'), repo_url: repoUrl };
    return expectStatus(201, await app.post('/api/v1/projects', body, as(by))).body.data;
  }
  const push = (directory: string, ...args: string[]): Promise<GitOutcome> =>
    git.try(['push', ...args], { cwd: directory });
  /** The lines that the service has printed. */
  const linesOf = ({ stderr }: GitOutcome): string[] =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('remote: '))
      .map((line) => line.slice('remote: '.length).trimEnd());

  it('prints the address of each deploy that it starts', async () => {
    const { directory, repoUrl } = await clone();
    expect(linesOf(await push(directory, 'origin', 'main'))).toEqual([
      'No project is linked to this repository, so nothing is deployed.',
    ]);
    const [one, two] = [await link(repoUrl), await link(repoUrl)];
    await commit(directory);
    await git.run(['branch', 'idea'], { cwd: directory });
    const pushed = await push(directory, 'origin', 'main', 'idea');
    expect(pushed.status).toBe(0);
    expect(pushed.stderr).toContain('main -> main');
    const lines = linesOf(pushed);
    expect(lines).toHaveLength(5);
    for (const { id, slug } of [one, two]) {
      const deploys = expectStatus(200, await app.fetch(`/api/v1/projects/${id}/deploys`, as(key))).body.data as any[];
      for (const { branch, type, url } of deploys)
        expect(lines).toContain(`Deploying ${slug} (${branch}, ${type}): ${url}`);
      expect(deploys.map(({ type }) => type).sort()).toEqual(['preview', 'production']);
    }
    expect(lines.at(-1)).toBe('To wait for the result: git push -o wait');

    const deleted = await push(directory, 'origin', ':idea');
    expect([deleted.status, linesOf(deleted)]).toEqual([0, []]);
    expect(linesOf(await push(directory, 'origin', 'main'))).toEqual([]);
  });

  it('prints its own deploy, and not that of a later push which was queued before it looks', async () => {
    const { directory, repoUrl } = await clone();
    const { id } = await link(repoUrl);
    let reached = (): void => undefined;
    const looked = new Promise<void>((resolve) => (reached = resolve));
    let letGo = (): void => undefined;
    const later = new Promise<void>((resolve) => (letGo = resolve));
    const store = app.get(DeploysStore);
    const look = store.pushedSince.bind(store);
    // The first push looks for its deploy only once the second one has its deploy as well.
    const looks = jest.spyOn(store, 'pushedSince').mockImplementationOnce(async (...args) => {
      reached();
      await later;
      return look(...args);
    });
    const first = push(directory, 'origin', 'main');
    await looked;
    const other = `clone-${++number}`;
    await git.run(['clone', '--quiet', '--branch', 'main', authorized(repoUrl, key), other]);
    await commit(other);
    const second = linesOf(await push(other, 'origin', 'main'));
    letGo();
    const firstLines = linesOf(await first);
    looks.mockRestore();
    const deploys = expectStatus(200, await app.fetch(`/api/v1/projects/${id}/deploys`, as(key))).body.data as any[];
    const [newer, older] = deploys.map(({ url }) => url as string);
    expect([firstLines[0], second[0]]).toEqual([expect.stringContaining(older!), expect.stringContaining(newer!)]);
  });

  it('follows the log with -o wait until the deploy is ready, or has failed', async () => {
    const { directory, repoUrl } = await clone();
    await link(repoUrl);
    builds.says = ['compiling', `evil \u001b[31m line ${'x'.repeat(2_000)}`];
    const ready = linesOf(await push(directory, '-o', 'wait', 'origin', 'main'));
    expect(ready).toEqual(expect.arrayContaining([expect.stringMatching(/^build +compiling$/)]));
    expect(ready.at(-1)).toMatch(/^Ready: http/);
    await commit(directory);
    builds.commit = 'c'.repeat(40);
    builds.failure = new BuildFailed('build_failed', 'It does not compile.');
    const failed = await push(directory, '-o', 'wait', 'origin', 'main');
    expect(failed.status).toBe(0);
    expect(linesOf(failed).at(-1)).toMatch(/^dpl_\w+ failed: build_failed: It does not compile\./);
  });

  it('ends quietly when the pusher leaves while waiting, and the deploy goes on', async () => {
    const { directory, repoUrl } = await clone();
    const { id } = await link(repoUrl);
    const { reached, letGo } = builds.holdAt('build');
    const leaving = push(directory, '-o', 'wait', 'origin', 'main');
    await reached;
    (app.nest.getHttpServer() as Server).closeAllConnections();
    expect((await leaving).status).not.toBe(0);
    letGo();
    await eventually(
      async () => (await app.fetch(`/api/v1/projects/${id}/deploys`, as(key))).body.data[0].state === 'ready',
      'the deploy is ready',
      20_000,
    );
    await commit(directory);
    expect((await push(directory, 'origin', 'main')).status).toBe(0);
  });

  it('says why a push to the production branch is a preview on Free', async () => {
    const eve = await make.person({ plan: 'free' });
    const its = await make.key(eve);
    const { directory, repoUrl } = await clone(its);
    await link(repoUrl, its);
    const lines = linesOf(await push(directory, 'origin', 'main'));
    expect(lines[0]).toContain('(main, preview)');
    expect(lines[1]).toContain('the plan does not include production deploys');
  });

  it('prints nothing to a key that may not read deploys, and to a client without side bands', async () => {
    const { directory, repoUrl } = await clone();
    await link(repoUrl);
    const pusher = await make.key(ada, { scopes: ['repositories:read', 'repositories:write'] });
    const quiet = await push(directory, authorized(repoUrl, pusher), 'main');
    expect([quiet.status, linesOf(quiet)]).toEqual([0, []]);

    await commit(directory);
    const head = await git.run(['rev-parse', 'HEAD'], { cwd: directory });
    const before = await git.run(['rev-parse', 'HEAD~1'], { cwd: directory });
    const command = `${before} ${head} refs/heads/main\0 report-status`;
    const line = (command.length + 4).toString(16).padStart(4, '0') + command;
    await git.run(['config', 'alias.packed', `!git pack-objects --revs --stdout -q < range > pack`], {
      cwd: directory,
    });
    writeFileSync(git.path(directory, 'range'), `${head}\n^${before}\n`);
    await git.run(['packed'], { cwd: directory });
    const answer = await fetch(`${repoUrl.replace(app.config.publicUrl, app.url)}/git-receive-pack`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-git-receive-pack-request',
        'x-forwarded-for': '203.0.113.9',
        authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}`,
      },
      body: Buffer.concat([Buffer.from(`${line}0000`), readFileSync(git.path(directory, 'pack'))]),
    });
    expect(await answer.text()).toBe('000eunpack ok\n0017ok refs/heads/main\n0000');
  });
});
