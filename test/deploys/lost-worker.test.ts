import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, send, uniqueName } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { ServiceProcess } from '../support/service-process.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(240_000));
const LONG = 90_000;

/** Real workers on real builds: a build that sleeps is one that can be caught in any phase. */
describe('a deploy worker', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'deploys-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ DATA_DIR: dataDirectory }, 'api');
  const make = new Make(app);
  const git = new GitClient();
  let key: string;
  let project: string;

  beforeAll(async () => {
    key = await make.key(await make.person({ plan: 'pro' }));
    const name = uniqueName('site');
    const repoUrl = expectStatus(201, await app.post('/api/v1/repositories', { name }, as(key))).body.data
      .repo_url as string;
    project = expectStatus(
      201,
      await app.post('/api/v1/projects', { name, repo_url: repoUrl, output_directory: 'out' }, as(key)),
    ).body.data.id as string;
    await git.run([
      'clone',
      '--quiet',
      repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`)),
      'site',
    ]);
    writeFileSync(git.path('site', 'package.json'), '{"private":true}');
    writeFileSync(git.path('site', 'index.html'), 'hello');
    await git.run(['add', '.'], { cwd: 'site' });
    await git.run(['commit', '--quiet', '-m', 'Begin'], { cwd: 'site' });
    await git.run(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: 'site' });
  });
  afterEach(() => ServiceProcess.killAll());
  afterAll(() => {
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const startWorker = (): Promise<ServiceProcess> =>
    ServiceProcess.start({
      role: 'worker',
      env: {
        DATABASE_URL: app.config.databaseUrl!,
        REDIS_URL: app.config.redisUrl!,
        DATA_DIR: dataDirectory,
        PUBLIC_URL: app.config.publicUrl,
        API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
        SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
        SANDBOX_ENABLED: 'false',
        DEPLOY_CONCURRENCY: '2',
      },
    });
  const configure = (settings: object): Promise<unknown> =>
    send(app, ['PATCH', `/api/v1/projects/${project}`], settings, as(key));
  const start = async (branch = 'main'): Promise<string> =>
    expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, { branch, force: true }, as(key))).body.data
      .id as string;
  const get = async (id: string): Promise<any> =>
    expectStatus(200, await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
  const says = (id: string, text: string): Promise<void> =>
    eventually(
      async () => (await app.fetch(`/api/v1/deploys/${id}/logs?follow=false`, as(key))).text.includes(text),
      `the log of ${id} says ${text}`,
      LONG,
    );
  const becomes = (id: string, state: string): Promise<void> =>
    eventually(async () => (await get(id)).state === state, `${id} is ${state}`, LONG);
  /** Expires the lease, because waiting for it would take half a minute. */
  const lapse = (id: string): Promise<unknown> =>
    make.sql("UPDATE deploys SET lease_until = now() - interval '1 second' WHERE id = $1 AND lease_until IS NOT NULL", [
      id,
    ]);
  const QUICK = 'mkdir -p out && cp index.html out/';

  it.each([
    ['it installs', { install_command: 'echo caught; sleep 300', build_command: QUICK }],
    ['it builds', { install_command: null, build_command: 'echo caught; sleep 300' }],
  ])('killed while %s has its deploy restarted and finished by another worker', async (_what, settings) => {
    await configure(settings);
    const doomed = await startWorker();
    const id = await start();
    await says(id, '"caught"');
    process.kill(doomed.pid, 'SIGKILL');
    await configure({ install_command: null, build_command: QUICK });
    await lapse(id);
    await startWorker();
    await becomes(id, 'ready');
    expect(await get(id)).toMatchObject({ attempt: 2, live: true });
    const kinds = (await app.fetch(`/api/v1/deploys/${id}/events`, as(key))).body.data.map(
      ({ kind, details }: any) => details.reason ?? kind,
    );
    expect(kinds).toEqual(['state', 'state', 'state', 'worker_lost', 'state', 'state', 'state', 'state', 'deployed']);
  });

  it('hands its deploy over on a regular stop, without counting a loss', async () => {
    await configure({ build_command: 'echo caught; sleep 300' });
    const stopped = await startWorker();
    const id = await start();
    await says(id, '"caught"');
    stopped.signal('SIGTERM');
    await configure({ build_command: QUICK });
    await startWorker();
    await becomes(id, 'ready');
    expect((await stopped.ended).code).toBe(0);
    expect(await make.sql('SELECT losses, attempt FROM deploys WHERE id = $1', [id])).toEqual([
      { losses: 0, attempt: 2 },
    ]);
    await says(id, 'The worker stops');
  });

  it('receives jobs again that Redis has lost', async () => {
    await configure({ build_command: QUICK });
    const id = await start();
    // Admitted for a worker that is not there, and its job is gone.
    await make.sql("UPDATE deploys SET admitted_at = now() - interval '1 minute', attempt = 1 WHERE id = $1", [id]);
    await make.sql('DELETE FROM outbox_messages');
    await app.get(RedisConnections).producer().flushdb();
    await startWorker();
    await becomes(id, 'ready');
  });
});
