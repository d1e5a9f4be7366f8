import { BuildFailed } from '../../src/modules/builds/build-failed.js';
import { AppServersService } from '../../src/modules/hosting/app-servers.service.js';
import { ServerDidNotStart } from '../../src/modules/hosting/hosting.errors.js';
import { DeployVariablesService } from '../../src/modules/deploys/requests/deploy-variables.service.js';
import { repositoryPushedEvent } from '../../src/modules/repositories/repository-pushed.job.js';
import { Database } from '../../src/platform/database/database.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const app = useApp({ DEPLOY_CONCURRENCY: '4' });
const make = new Make(app);
const builds = new FakeBuilds(app);
const SECRET = 'a-secret-of-the-project';
const LONG = 30_000;

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
const start = async (body: object = {}, by = key, id = project): Promise<string> =>
  expectStatus(202, await app.post(`/api/v1/projects/${id}/deploys`, body, as(by))).body.data.id as string;
const get = async (id: string, by = key): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/deploys/${id}`, as(by))).body.data;
const over = async (id: string, by = key): Promise<any> => {
  await eventually(
    async () => !['queued', 'initializing', 'building', 'deploying'].includes((await get(id, by)).state),
    `${id} is over`,
    LONG,
  );
  return get(id, by);
};
const deploy = async (body: object = {}): Promise<any> => over(await start(body));
const log = async (id: string): Promise<any[]> =>
  (await app.fetch(`/api/v1/deploys/${id}/logs`, as(key))).text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const events = async (id: string): Promise<any[]> =>
  (await app.fetch(`/api/v1/deploys/${id}/events`, as(key))).body.data;
const cancel = (id: string): Promise<Answer> => app.call('POST', `/api/v1/deploys/${id}/cancel`, as(key));
const promote = (id: string): Promise<Answer> => app.call('POST', `/api/v1/deploys/${id}/promote`, as(key));
const rollBack = (body: object = {}): Promise<Answer> =>
  app.post(`/api/v1/projects/${project}/rollback`, body, as(key));
const setEnv = (...variables: object[]): Promise<Answer> =>
  send(app, ['PUT', `/api/v1/projects/${project}/env`], { variables }, as(key));
/** What a browser sees at this address. */
async function open(url: string): Promise<[number, string]> {
  const text = await app.raw(`GET / HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`, {
    port: app.appsPort,
  });
  return [
    Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
    text.slice(text.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, ''),
  ];
}
const shows = (url: string, text: string): Promise<void> =>
  eventually(async () => (await open(url))[1].includes(text), `${url} shows ${text}`);

describe('a successful deploy', () => {
  it('passes every state and is live at its own URL and its branch URL', async () => {
    builds.files = { 'index.html': 'the first' };
    const ready = await deploy({ branch: 'feature/x' });
    expect(ready).toMatchObject({
      state: 'ready',
      live: true,
      attempt: 1,
      commit: { sha: builds.commit, message: 'A commit', author: 'Ada' },
      output: { framework: 'static', kind: 'static', files: 1, bytes: 9 },
      aliases: [expect.stringContaining('feature-x')],
      ready_at: expect.any(String),
      finished_at: expect.any(String),
    });
    expect(Object.keys(ready.phase_ms)).toEqual(['resolve', 'fetch', 'install', 'build', 'collect', 'ingest', 'live']);
    expect((await events(ready.id)).map(({ kind, to }: any) => to ?? kind)).toEqual([
      'queued',
      'initializing',
      'building',
      'deploying',
      'ready',
      'live',
    ]);
    for (const url of [ready.url, ...ready.aliases]) await shows(url as string, 'the first');
    expect(builds.closed.at(-1)).toEqual({ id: `${ready.id}-1`, keepCaches: true });
  });

  it('passes the current settings, variables and plan limits to the build', async () => {
    const poor = await make.key(await make.person());
    const other = await newProject(poor, { framework: 'vite', root_directory: 'apps/web', build_command: 'make' });
    await send(
      app,
      ['PUT', `/api/v1/projects/${other}/env`],
      {
        variables: [
          { name: 'A', value: '1', targets: ['preview'] },
          { name: 'B', value: '2', targets: ['production'] },
        ],
      },
      as(poor),
    );
    const { id } = await over(await start({ branch: 'b' }, poor, other), poor);
    expect(builds.built.at(-1)).toMatchObject({
      id: `${id}-1`,
      projectId: other,
      target: 'preview',
      branch: 'b',
      source: { repoUrl: 'https://github.com/acme/shop', localRepository: null, ref: 'b' },
      settings: { framework: 'vite', rootDirectory: 'apps/web', buildCommand: 'make' },
      environment: { A: '1' },
      limits: { wallMs: 600_000, memoryBytes: 2_147_483_648, diskBytes: 4_294_967_296 },
    });
  });

  it('gives commit, branch and addresses to the build and the server, under variables of the project', async () => {
    await setEnv({ name: 'SERVICE_GIT_BRANCH', value: 'mine', targets: ['preview'] });
    const { id, url } = await deploy({ branch: 'feature/x' });
    const addresses = {
      SERVICE_DEPLOY_ID: id,
      SERVICE_DEPLOY_URL: url,
      SERVICE_BRANCH_URL: expect.stringContaining('feature-x'),
      SERVICE_PRODUCTION_URL: expect.stringMatching(/^http:\/\/shop-/),
      VERCEL_URL: new URL(url as string).host,
      NEXT_PUBLIC_VERCEL_URL: new URL(url as string).host,
    };
    const commit = {
      SERVICE_ENVIRONMENT: 'preview',
      SERVICE_GIT_BRANCH: 'mine',
      SERVICE_GIT_COMMIT_SHA: builds.commit,
      SERVICE_GIT_COMMIT_MESSAGE: 'A commit',
      SERVICE_GIT_COMMIT_AUTHOR: 'Ada',
      VERCEL_ENV: 'preview',
      VERCEL_GIT_COMMIT_REF: 'feature/x',
      VERCEL_GIT_COMMIT_SHA: builds.commit,
      VERCEL_GIT_REPO_OWNER: 'acme',
      VERCEL_GIT_REPO_SLUG: 'shop',
    };
    const { environment } = builds.built.at(-1)!;
    expect(environment).toMatchObject({ ...addresses, ...commit });
    expect(environment).not.toHaveProperty('VERCEL');
    const ofServer = await app.get(DeployVariablesService).of(id as string);
    expect(ofServer).toMatchObject({ ...addresses, ...commit, VERCEL: '1' });

    // The addresses differ for each deploy, and the build is reused all the same.
    const again = await deploy({ branch: 'feature/x' });
    expect(again.same_as).toBe(id);
    expect(await app.get(DeployVariablesService).of(again.id as string)).toMatchObject({ SERVICE_DEPLOY_ID: again.id });
  });

  it('keeps the server variables of its build when they change later', async () => {
    await setEnv({ name: 'A', value: 'before', targets: ['preview'] });
    const { id } = await deploy();
    await setEnv({ name: 'A', value: 'after', targets: ['preview'] });
    expect(await app.get(DeployVariablesService).of(id as string)).toMatchObject({ A: 'before' });
  });
});

describe('build reuse', () => {
  it('reuses the files of an earlier build with the same commit, settings and variables', async () => {
    await setEnv({ name: 'A', value: '1', targets: ['preview'] });
    const first = await deploy();
    const count = builds.built.length;
    const second = await deploy();
    expect(second).toMatchObject({ state: 'ready', live: true, same_as: first.id, output: first.output });
    expect([builds.built.length, (await get(first.id)).live]).toEqual([count, false]);
    await shows(second.url, 'the first');
    expect((await events(second.id)).map(({ kind, to }: any) => to ?? kind)).toEqual([
      'queued',
      'initializing',
      'building',
      'deploying',
      'ready',
      'live',
    ]);
  });

  it.each<[string, (() => Promise<unknown>) | undefined, object]>([
    ['it is forced', undefined, { force: true }],
    [
      'the commit is another',
      () => {
        builds.commit = 'b'.repeat(40);
        return Promise.resolve();
      },
      {},
    ],
    ['a variable is another', () => setEnv({ name: 'A', value: '2', targets: ['preview'] }), {}],
    [
      'a setting is another',
      () => send(app, ['PATCH', `/api/v1/projects/${project}`], { build_command: 'make' }, as(key)),
      {},
    ],
    ['the target is another', undefined, { type: 'production' }],
  ])('builds again when %s', async (_what, change, body) => {
    await setEnv({ name: 'A', value: '1', targets: ['preview'] });
    await deploy();
    const count = builds.built.length;
    await change?.();
    expect((await deploy(body)).same_as).toBeUndefined();
    expect(builds.built.length).toBe(count + 1);
  });
});

describe('a failed deploy', () => {
  it('reports the build error, keeps the live deploy and discards caches', async () => {
    builds.files = { 'index.html': 'still here' };
    const good = await deploy();
    builds.commit = 'c'.repeat(40);
    builds.failure = new BuildFailed('build_failed', 'The build command ended with 1.');
    const bad = await deploy();
    expect(bad).toMatchObject({
      state: 'error',
      live: false,
      error: { code: 'build_failed', message: 'The build command ended with 1. See /docs/builds#failed-commands.' },
    });
    expect((await log(bad.id)).at(-2)).toMatchObject({ stream: 'system', text: bad.error.message });
    expect((await get(good.id)).live).toBe(true);
    await shows(good.aliases[0], 'still here');
  });

  it('reports internal errors only as such, and logs the cause', async () => {
    builds.failure = new Error('a cause that nobody is to see');
    const bad = await deploy();
    expect(bad.error).toEqual({ code: 'internal_error', message: expect.not.stringContaining('a cause') });
    expect(JSON.stringify(await log(bad.id))).not.toContain('a cause');
    expect(app.log()).toContainEqual(expect.objectContaining({ level: 'error', deployId: bad.id }));
  });

  it('starts again when a backend was unavailable for a moment, and says so when that happens twice', async () => {
    const gone = new Error('Connection terminated due to connection timeout');
    builds.failures = [gone];
    const once = await deploy();
    expect(once.state).toBe('ready');
    // Another commit, because the first one is already built.
    builds.commit = 'd'.repeat(40);
    builds.failures = [gone, new Error('Command timed out')];
    const twice = await deploy();
    expect(twice).toMatchObject({ state: 'error', error: { code: 'service_unavailable' } });
    expect((await log(twice.id)).at(-2).text).toContain('Deploy again in a few minutes');
  });

  it('shows the whole output of a server that does not start, up to a limit', async () => {
    builds.kind = 'server';
    builds.files = { 'server.js': 'x' };
    const servers = app.get(AppServersService);
    const check = jest.spyOn(servers, 'check').mockImplementationOnce((_id, { onLine }) => {
      onLine!('system', '$ node server.js');
      for (let line = 1; line <= 3_000; line++) onLine!('stderr', `line ${line}`);
      return Promise.reject(new ServerDidNotStart('The server did not answer.'));
    });
    const bad = await deploy();
    expect(bad.error).toEqual({
      code: 'server_did_not_start',
      message: 'The server did not answer. See /docs/deploys#errors.',
    });
    const lines = (await log(bad.id)).filter(({ phase }) => phase === 'check').map(({ text }) => text);
    expect(lines.slice(0, 3)).toEqual(['Starting the server.', '$ node server.js', 'line 1']);
    expect(lines.slice(-3)).toEqual([
      'line 1999',
      'The server printed more than 2000 lines. Its run-time log has the rest.',
      'The server did not answer. See /docs/deploys#errors.',
    ]);
    expect(builds.closed.at(-1)).toEqual({ id: `${bad.id}-1`, keepCaches: false });
    check.mockRestore();
  });

  it('fails when its repository was unlinked while it waited', async () => {
    const { reached, letGo } = builds.holdAt('build');
    const first = await start();
    await reached;
    const second = await start();
    await send(app, ['PATCH', `/api/v1/projects/${project}`], { repo_url: null }, as(key));
    letGo();
    expect(await over(second)).toMatchObject({
      state: 'error',
      error: { code: 'project_has_no_repository', message: 'Project has no linked repository' },
    });
    expect((await over(first)).state).toBe('ready');
  });

  it('fails for production when the plan was downgraded before it went live', async () => {
    const owner = await make.person({ plan: 'builder' });
    const by = await make.key(owner);
    const theirs = await newProject(by);
    const { reached, letGo } = builds.holdAt('collect');
    const id = await start({ type: 'production' }, by, theirs);
    await reached;
    await make.plan(owner.organization.id, 'free');
    letGo();
    expect(await over(id, by)).toMatchObject({ state: 'error', live: false, error: { code: 'feature_not_in_plan' } });
  });
});

describe('a cancelled deploy', () => {
  it.each(['resolve', 'fetch', 'install', 'build', 'collect'] as const)(
    'stops at once while %s, and is never live',
    async (step) => {
      const { reached } = builds.holdAt(step);
      const id = await start({ branch: 'cancelled' });
      await reached;
      expect((await cancel(id)).body.data.state).toBe('canceled');
      expect((await cancel(id)).status).toBe(409);
      // Its place is free at once: the next deploy runs before any lease could have expired.
      builds.holdAt('build').letGo();
      const next = await deploy({ branch: 'cancelled' });
      expect(next.state).toBe('ready');
      expect(await get(id)).toMatchObject({ state: 'canceled', live: false });
      expect((await events(id)).at(-1)).toMatchObject({ to: 'canceled' });
    },
  );

  it(
    'stops at the next lease renewal when the cancel message was lost',
    async () => {
      const { reached } = builds.holdAt('install');
      const id = await start();
      await reached;
      await make.sql("UPDATE deploys SET state = 'canceled', finished_at = now(), lease_until = NULL WHERE id = $1", [
        id,
      ]);
      const before = builds.aborted;
      await eventually(() => builds.aborted === before + 1, 'the build is ended', 20_000);
      expect((await get(id)).state).toBe('canceled');
    },
    LONG,
  );
});

describe('GET /api/v1/deploys/:deploy_id/logs', () => {
  it('returns the build lines with masked secrets and the final state', async () => {
    await setEnv(
      { name: 'TOKEN', value: SECRET, targets: ['preview'] },
      { name: 'OPEN', value: 'an-open-value', targets: ['preview'], secret: false },
    );
    builds.says = [`token ${SECRET}`, `base64 ${Buffer.from(SECRET).toString('base64')}`, 'an-open-value'];
    const { id } = await deploy();
    const lines = await log(id as string);
    expect(lines.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['token [secret]', 'base64 [secret]', 'an-open-value']),
    );
    expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual(lines.slice(0, -1).map((_, index) => index + 1));
    expect(lines.at(-1)).toEqual({ end: { state: 'ready' } });
    expect(JSON.stringify(app.log())).not.toContain(SECRET);
  });

  it(
    'streams lines and events of a running deploy, and resumes after the last line received',
    async () => {
      const { reached, letGo } = builds.holdAt('collect');
      builds.says = ['one', 'two'];
      const id = await start();
      await reached;
      const [lines, stream] = await Promise.all(
        [undefined, 'text/event-stream'].map((accept) => reading(id, accept === undefined ? {} : { accept })),
      );
      await eventually(
        () => lines!.text.includes('"two"') && stream!.text.includes('"two"'),
        'the lines so far have come',
      );
      expect([lines!.ended, stream!.ended]).toEqual([false, false]);
      letGo();
      await eventually(() => lines!.ended && stream!.ended, 'both have ended', LONG);
      expect(lines!.text.trim().split('\n').at(-1)).toBe('{"end":{"state":"ready"}}');
      expect(stream!.text).toContain('event: end\ndata: {"state":"ready"}\n\n');
      const all = await log(id);
      expect([...stream!.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual(
        all.slice(0, -1).map(({ seq }) => seq),
      );
      const rest = await app.fetch(
        `/api/v1/deploys/${id}/logs`,
        as(key, { headers: { 'last-event-id': '2', accept: 'text/event-stream' } }),
      );
      expect([...rest.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual(
        all.slice(2, -1).map(({ seq }) => seq),
      );
      const done = await app.fetch(
        `/api/v1/deploys/${id}/logs`,
        as(key, { headers: { 'last-event-id': '9999', accept: 'text/event-stream' } }),
      );
      expect([done.status, done.text]).toEqual([204, '']);
      expect(
        (await app.fetch(`/api/v1/deploys/${id}/logs`, as(key, { headers: { 'last-event-id': 'x' } }))).status,
      ).toBe(400);
    },
    LONG,
  );

  it('returns the current lines without follow', async () => {
    const { reached, letGo } = builds.holdAt('collect');
    const id = await start();
    await reached;
    const { text } = await app.fetch(`/api/v1/deploys/${id}/logs?follow=false`, as(key));
    expect(JSON.parse(text.trim().split('\n').at(-1)!)).toEqual({ end: { state: 'building' } });
    letGo();
    await over(id);
  });

  async function reading(id: string, headers: Record<string, string>): Promise<{ text: string; ended: boolean }> {
    const response = await fetch(`${app.url}/api/v1/deploys/${id}/logs`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    const state = { text: '', ended: false };
    void (async () => {
      for await (const chunk of response.body!) state.text += Buffer.from(chunk as Uint8Array).toString();
      state.ended = true;
    })();
    return state;
  }
});

describe('the production deploy', () => {
  const production = async (text: string): Promise<any> => {
    builds.commit = Buffer.from(text.padEnd(20, '.')).toString('hex');
    builds.files = { 'index.html': text };
    return deploy({ type: 'production' });
  };

  it(
    'follows production deploys, stays after a rollback, and follows again after a promote',
    async () => {
      const [one, two] = [await production('one'), await production('two')];
      const [host, ofBranch] = two.aliases as string[];
      expect(one.aliases).toEqual(two.aliases);
      for (const url of [host!, ofBranch!]) await shows(url, 'two');
      const count = builds.built.length;

      const back = expectStatus(200, await rollBack()).body.data;
      expect(back).toMatchObject({ id: one.id, live: true, pinned: true });
      await shows(host!, 'one');
      expect((await get(two.id)).live).toBe(false);
      expect(builds.built.length).toBe(count);

      const three = await production('three');
      expect(three).toMatchObject({ state: 'ready', live: false });
      await shows(host!, 'one');
      for (const url of [three.url, ofBranch!]) await shows(url as string, 'three');

      expect(expectStatus(200, await promote(three.id)).body.data).toMatchObject({ live: true });
      await shows(host!, 'three');
      const four = await production('four');
      expect(four.live).toBe(true);
      await shows(host!, 'four');
      expect(
        (await events(one.id)).filter(({ kind }: any) => kind === 'live').map(({ details }: any) => details.reason),
      ).toEqual(['deployed', 'rolled_back']);
    },
    LONG,
  );

  it(
    'rolls back to the deploy that is named, or to ever earlier ones until none is left',
    async () => {
      const [one, two, three] = [await production('one'), await production('two'), await production('three')];
      expect((await rollBack()).body.data.id).toBe(two.id);
      expect((await rollBack()).body.data.id).toBe(one.id);
      expect((await rollBack()).body.error.code).toBe('no_earlier_deploy');
      expect((await rollBack({ deploy_id: three.id })).body.data).toMatchObject({ id: three.id, live: true });
    },
    LONG,
  );

  it('accepts a promoted preview, and refuses it when the plan has no production', async () => {
    const owner = await make.person({ plan: 'builder' });
    const by = await make.key(owner);
    const theirs = await newProject(by);
    const preview = await over(await start({}, by, theirs), by);
    const promoted = await app.call('POST', `/api/v1/deploys/${preview.id}/promote`, as(by));
    expect(promoted.body.data.aliases).toHaveLength(2);
    await make.plan(owner.organization.id, 'free');
    expect((await app.call('POST', `/api/v1/deploys/${preview.id}/promote`, as(by))).body.error.code).toBe(
      'feature_not_in_plan',
    );
    expect(
      (await app.post(`/api/v1/projects/${theirs}/rollback`, { deploy_id: preview.id }, as(by))).body.error.code,
    ).toBe('feature_not_in_plan');
  });

  it('moves to another host when the slug changes, and the old host answers 404', async () => {
    const [before] = (await production('one')).aliases;
    await send(app, ['PATCH', `/api/v1/projects/${project}`], { slug: uniqueName('renamed') }, as(key));
    const [after] = (await production('two')).aliases;
    expect(after).not.toBe(before);
    await shows(after, 'two');
    await eventually(async () => (await open(before as string))[0] === 404, 'the old host leads nowhere');
  });
});

describe('a git push', () => {
  async function push(
    orgId: string,
    repoUrl: string,
    branch: string,
    commitSha: string | null = 'd'.repeat(40),
  ): Promise<void> {
    await app.get(Database).transaction(() =>
      app.get(Outbox).publish(repositoryPushedEvent, {
        repositoryId: 'repo_x',
        orgId,
        repoUrl,
        branch,
        commitSha,
        pusherId: ada.user.id,
      }),
    );
  }
  const list = async (id: string, by = key): Promise<any[]> =>
    (await app.fetch(`/api/v1/projects/${id}/deploys`, as(by))).body.data;

  it(
    'deploys the linked projects: the production branch to production, other branches as previews',
    async () => {
      const repoUrl = `https://github.com/acme/${uniqueName('repo')}`;
      const [one, two] = [
        await newProject(key, { repo_url: repoUrl }),
        await newProject(key, { repo_url: repoUrl, production_branch: 'trunk' }),
      ];
      const outsider = await make.key(await make.person({ plan: 'pro' }));
      const theirs = await newProject(outsider, { repo_url: repoUrl });
      await push(ada.organization.id, repoUrl, 'main');
      await eventually(
        async () => (await list(one)).length === 1 && (await list(two)).length === 1,
        'both are deployed',
        LONG,
      );
      expect((await list(one))[0]).toMatchObject({ branch: 'main', type: 'production', trigger: 'push' });
      expect((await list(two))[0]).toMatchObject({ branch: 'main', type: 'preview', trigger: 'push' });
      expect(await list(theirs, outsider)).toEqual([]);
    },
    LONG,
  );

  it(
    'deploys a preview when the plan has no production, and nothing for a deleted branch',
    async () => {
      const owner = await make.person();
      const by = await make.key(owner);
      const theirs = await newProject(by);
      await push(owner.organization.id, 'https://github.com/acme/shop', 'gone', null);
      await push(owner.organization.id, 'https://github.com/acme/shop', 'main');
      await eventually(async () => (await list(theirs, by)).length > 0, 'it is deployed', LONG);
      expect((await list(theirs, by)).map(({ branch, type }) => [branch, type])).toEqual([['main', 'preview']]);
    },
    LONG,
  );
});

describe('a deleted project', () => {
  it(
    'stops its running deploys and takes its hosts offline',
    async () => {
      builds.files = { 'index.html': 'to be gone' };
      const live = await deploy();
      await shows(live.url, 'to be gone');
      builds.commit = 'e'.repeat(40);
      const { reached } = builds.holdAt('build');
      const id = await start({ branch: 'other' });
      await reached;
      expect((await app.call('DELETE', `/api/v1/projects/${project}`, as(key))).status).toBe(204);
      expect(await over(id)).toMatchObject({ state: 'canceled' });
      await eventually(async () => (await open(live.url as string))[0] === 404, 'its hosts lead nowhere', LONG);
      await eventually(
        async () =>
          (await make.sql('SELECT deploy_id FROM hosted_deploys WHERE project_id = $1', [project])).length === 0,
        'its files are gone',
        LONG,
      );
      expect(await make.sql('SELECT deploy_id FROM deploy_environments WHERE deploy_id = $1', [live.id])).toEqual([]);
    },
    LONG,
  );
});

describe('deploy metrics', () => {
  it('count deploys by outcome, time their phases and report the queue', async () => {
    await deploy();
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/deploys_total\{state="ready",target="preview"\} \d+/);
    expect(text).toMatch(/deploy_phase_seconds_count\{phase="build",target="preview"\} \d+/);
    expect(text).toMatch(/^deploys_waiting 0$/m);
    expect(text).toMatch(/^deploys_oldest_waiting_seconds 0$/m);
  });
});
