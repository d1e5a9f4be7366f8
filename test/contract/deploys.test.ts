import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { BuildFailed } from '../../src/modules/builds/build-failed.js';
import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { useCommandLine } from '../support/command-line.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const { AuthorizationError, ConflictError, NotFoundError, Service } = client;
const REPO = 'https://github.com/acme/shop';

const app = useApp({
  ANONYMOUS_CALLS_PER_SECOND: '1000',
  DEFAULT_PLAN: 'builder',
  SANDBOX_ENABLED: 'false',
  DEPLOY_CONCURRENCY: '4',
});
const builds = new FakeBuilds(app);
const command = useCommandLine(() => app.url);
let account: Account;
let service: InstanceType<typeof Service>;
let project: string;

beforeAll(async () => {
  account = await signUpWithKey(app.url);
});
beforeEach(async () => {
  service = new Service({ apiKey: account.apiKey, baseUrl: app.url });
  project = (await service.projects.create({ name: 'Shop', repo_url: REPO })).id;
});
afterEach(() => service.projects.delete(project));

describe('the built client with deploys', () => {
  it('deploys, follows the log, waits until ready, lists, rolls back and promotes', async () => {
    const deploy = await service.projects.deploy(project, { type: 'production' });
    expect(deploy).toMatchObject({ project_id: project, branch: 'main', type: 'production', state: 'queued' });
    const lines = [];
    const log = service.deploys.logs(deploy.id);
    let last = await log.next();
    for (; last.done !== true; last = await log.next()) lines.push(last.value);
    expect([last.value, lines.map(({ text }) => text)]).toEqual(['ready', expect.arrayContaining(['building'])]);
    expect(await service.deploys.waitUntilReady(deploy.id)).toMatchObject({ state: 'ready', live: true });
    builds.commit = 'b'.repeat(40);
    const second = await service.projects.deploy(project, { type: 'production' });
    await service.deploys.waitUntilReady(second.id);
    expect((await service.projects.deploys(project)).data.map(({ id }) => id)).toEqual([second.id, deploy.id]);
    expect(await service.projects.rollback(project)).toMatchObject({ id: deploy.id, live: true, pinned: true });
    expect(await service.deploys.promote(second.id)).toMatchObject({ id: second.id, live: true });
    expect((await service.deploys.events(deploy.id)).map(({ kind }) => kind)).toContain('live');
  });

  it('resumes an interrupted log without missing or repeated lines', async () => {
    builds.says = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    const { reached, letGo } = builds.holdAt('collect');
    const { id } = await service.projects.deploy(project);
    await reached;
    const seen: number[] = [];
    const texts: string[] = [];
    const reading = (async () => {
      for await (const { seq, text } of service.deploys.logs(id)) {
        seen.push(seq);
        texts.push(text);
      }
    })();
    await eventually(() => texts.includes('line 49'), 'the lines so far have come', 20_000);
    (app.nest.getHttpServer() as Server).closeAllConnections();
    letGo();
    await reading;
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    expect(texts.filter((text) => text.startsWith('line '))).toEqual(builds.says);
  });

  it('stops following a log when the signal is aborted', async () => {
    const { reached, letGo } = builds.holdAt('build');
    const { id } = await service.projects.deploy(project);
    await reached;
    const controller = new AbortController();
    const reading = (async () => {
      for await (const { seq } of service.deploys.logs(id, { signal: controller.signal }))
        controller.abort(new Error(`enough after ${seq}`));
    })();
    await expect(reading).rejects.toThrow('enough');
    expect((await service.deploys.cancel(id)).state).toBe('canceled');
    await expect(service.deploys.cancel(id)).rejects.toMatchObject({ code: 'deploy_already_over' });
    letGo();
  });

  it('throws the documented errors', async () => {
    await service.projects.update(project, { repo_url: null });
    const failed = service.projects.deploy(project);
    await expect(failed).rejects.toBeInstanceOf(ConflictError);
    await expect(failed).rejects.toMatchObject({
      code: 'project_has_no_repository',
      message: expect.stringMatching(/^Project has no linked repository/),
    });
    await expect(service.deploys.get('dpl_00000000000000000000000000')).rejects.toBeInstanceOf(NotFoundError);
    await expect(service.deploys.logs('dpl_00000000000000000000000000').next()).rejects.toBeInstanceOf(NotFoundError);
    await expect(service.projects.rollback(project)).rejects.toMatchObject({ code: 'no_earlier_deploy' });
    const narrow = await new Service({ sessionToken: account.sessionToken, baseUrl: app.url }).keys.create({
      name: 'narrow',
      kind: 'personal',
      scopes: ['deploys:write'],
    });
    await expect(
      new Service({ apiKey: narrow.secret, baseUrl: app.url }).projects.deploy(project, { type: 'production' }),
    ).rejects.toBeInstanceOf(AuthorizationError);
  });
});

describe('the command line with deploys', () => {
  const run = (...args: string[]): ReturnType<typeof command.run> =>
    command.run(args, { env: { SERVICE_API_KEY: account.apiKey } });

  it('links a directory, deploys it with its log, opens it, rolls back and promotes', async () => {
    expect((await run('deploy')).code).toBe(2);
    expect(await run('link', project)).toMatchObject({ code: 0, stdout: `Shop (${project}), deployed from ${REPO}\n` });
    expect(JSON.parse(readFileSync(join(command.home, '.service.json'), 'utf8'))).toEqual({ project });
    const deployed = await run('deploy', '--production');
    expect(deployed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/shop-\w+\.\S+\n$/),
      stderr: expect.stringContaining('build   building'),
    });
    expect((await run('open')).stdout).toBe(deployed.stdout);
    expect((await run('logs')).stdout).toContain('building');
    const first = JSON.parse((await run('--json', 'deploy', '--production', '--force')).stdout) as {
      id: string;
      live: boolean;
    };
    expect(first.live).toBe(true);
    expect((await run('rollback')).stdout).toContain('is live at');
    expect(await run('promote', first.id)).toMatchObject({ code: 0, stdout: expect.stringContaining(first.id) });
  });

  it('exits with 1 and the reason when the deploy fails, and at once without waiting', async () => {
    await run('link', project);
    builds.failure = new BuildFailed('build_failed', 'The build command ended with 1.');
    expect(await run('deploy')).toMatchObject({
      code: 1,
      stdout: 'error\n',
      stderr: expect.stringContaining('build_failed: The build command ended with 1.'),
    });
    const { reached, letGo } = builds.holdAt('build');
    expect(await run('deploy', '--no-wait', '--branch', 'other')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:/),
    });
    await reached;
    letGo();
    expect((await run('deploy', '--project', 'no-such-project')).code).toBe(5);
  });
});
