import { createHmac } from 'node:crypto';
import { DeployEnvironment } from '../../src/modules/hosting/deploy-environment.js';
import { deployBehind, FakeAppServer, type PlayedAnswer } from '../support/fake-app-server.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { point } from '../support/hosting.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const app = useApp();
const make = new Make(app);
const builds = new FakeBuilds(app);
const LONG = 30_000;

let ada: Person;
let key: string;
let project: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'pro' });
  key = await make.key(ada);
});

beforeEach(async () => {
  project = await newProject();
});

async function newProject(by = key): Promise<string> {
  const body = { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' };
  return expectStatus(201, await app.post('/api/v1/projects', body, as(by))).body.data.id as string;
}
const cronsOf = (id = project): string => `/api/v1/projects/${id}/crons`;
const create = (body: object = {}, by = key, id = project): Promise<Answer> =>
  app.post(cronsOf(id), { path: '/api/tick', schedule: '*/5 * * * *', ...body }, as(by));
const created = async (body: object = {}, by = key, id = project): Promise<any> =>
  expectStatus(201, await create(body, by, id)).body.data;
const list = async (id = project, by = key): Promise<any[]> =>
  expectStatus(200, await app.fetch(cronsOf(id), as(by))).body.data as any[];
const runs = async (cronId: string): Promise<any[]> =>
  expectStatus(200, await app.fetch(`${cronsOf()}/${cronId}/runs`, as(key))).body.data as any[];
/** How many times of crons had this outcome. */
async function firings(outcome: string): Promise<number> {
  const { text } = await app.fetch('/metrics');
  return Number(new RegExp(`^cron_firings_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1]);
}
const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];
const change = (id: string, body: object, by = key): Promise<Answer> =>
  send(app, ['PATCH', `${cronsOf()}/${id}`], body, as(by));

/** Makes the cron due, late by this time, and runs what the schedule runs. */
async function tick(cronId: string, lateMs = 1_000): Promise<void> {
  await make.sql("UPDATE project_crons SET next_at = now() - $2 * interval '1 millisecond' WHERE id = $1", [
    cronId,
    lateMs,
  ]);
  await app.runSchedule('project-crons');
}
const ended = async (cronId: string, count = 1): Promise<any[]> => {
  await eventually(
    async () => (await runs(cronId)).filter(({ outcome }) => outcome !== 'running').length === count,
    'the run has ended',
    LONG,
  );
  return runs(cronId);
};

describe('POST /api/v1/projects/:project_id/crons', () => {
  it('returns the cron with its next times in its time zone', async () => {
    const data = await created({ schedule: '30 5 * * *', time_zone: 'Asia/Kolkata' });
    expect(data).toEqual({
      id: expect.stringMatching(/^cron_[0-9a-z]{26}$/),
      project_id: project,
      path: '/api/tick',
      schedule: '30 5 * * *',
      time_zone: 'Asia/Kolkata',
      enabled: true,
      source: 'api',
      state: 'active',
      next_runs: Array.from({ length: 3 }, () => expect.stringMatching(/T00:00:00\.000Z$/)),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await list()).toEqual([data]);
    expect(await runs(data.id)).toEqual([]);
  });

  it.each([
    [{ path: 'api' }, 'path'],
    [{ path: '//evil.example' }, 'path'],
    [{ path: '/a b' }, 'path'],
    [{ path: '/a#b' }, 'path'],
    [{ path: undefined }, 'path'],
    [{ schedule: '* * * * * *' }, 'schedule'],
    [{ schedule: '0 0 31 4,6 *' }, 'schedule'],
    [{ schedule: '@daily' }, 'schedule'],
    [{ time_zone: 'Mars/Phobos' }, 'time_zone'],
    [{ time_zone: null }, 'time_zone'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ other: 1 }, 'other'],
  ])('returns 400 for %j and names the field', async (body, path) => {
    const answer = await create(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 403 in a plan without crons, and 400 for the 21st', async () => {
    const free = await make.key(await make.person());
    const answer = await create({}, free, await newProject(free));
    expect(codeOf(answer)).toEqual([403, 'feature_not_in_plan']);
    expect(answer.body.error.details).toMatchObject({ feature: 'swarms_and_cron', smallest_plan: 'builder' });
    for (let count = 0; count < 20; count++) await created();
    expect((await create()).body.error.details[0].code).toBe('max_crons');
  });

  it('returns 401 without a key, 403 without the scope and 404 for outsiders, as do the other endpoints', async () => {
    const { id } = await created();
    const reader = await make.key(ada, { scopes: ['deploys:read', 'projects:read'] });
    const outsider = await make.key(await make.person({ plan: 'pro' }));
    const path = `${cronsOf()}/${id}`;
    expect(codeOf(await app.fetch(cronsOf()))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await create({}, reader))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await change(id, { enabled: false }, reader))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await app.call('DELETE', path, as(reader)))).toEqual([403, 'insufficient_scopes']);
    for (const answer of [
      await create({}, outsider),
      await app.fetch(cronsOf(), as(outsider)),
      await app.fetch(`${path}/runs`, as(outsider)),
      await change(id, { enabled: false }, outsider),
      await app.call('DELETE', path, as(outsider)),
    ])
      expect(codeOf(answer)).toEqual([404, 'project_not_found']);
    const other = await newProject();
    expect(codeOf(await app.fetch(`${cronsOf(other)}/${id}/runs`, as(key)))).toEqual([404, 'cron_not_found']);
    expect(codeOf(await app.call('DELETE', `${cronsOf(other)}/${id}`, as(key)))).toEqual([404, 'cron_not_found']);
  });
});

describe('PATCH and DELETE /api/v1/projects/:project_id/crons/:cron_id', () => {
  it('changes the given fields, and deletes the cron', async () => {
    const { id } = await created();
    const changed = expectStatus(200, await change(id, { schedule: '0 0 1 1 *', enabled: false })).body.data;
    expect(changed).toMatchObject({ path: '/api/tick', schedule: '0 0 1 1 *', state: 'disabled', next_runs: [] });
    await tick(id);
    expect(await runs(id)).toEqual([]);
    expect(codeOf(await change(id, { schedule: 'never' }))).toEqual([400, 'invalid_request']);
    expect((await app.call('DELETE', `${cronsOf()}/${id}`, as(key))).status).toBe(204);
    expect(await list()).toEqual([]);
  });
});

describe('a cron that is due', () => {
  const server = new FakeAppServer();
  const SECRET = 'a-secret-of-crons';
  beforeAll(() => server.listen());
  afterAll(() => server.close());
  beforeEach(async () => {
    server.requests.length = 0;
    const deployed = await deployBehind(app, server);
    await point(app, uniqueName('shop'), { ...deployed, projectId: project, orgId: ada.organization.id });
    jest.spyOn(app.get(DeployEnvironment), 'of').mockResolvedValue({ CRON_SECRET: SECRET });
    jest.spyOn(app.get(DeployEnvironment), 'servicesOf').mockResolvedValue([]);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const answering = (head: string) => (answer: PlayedAnswer) => {
    answer.send(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`);
  };

  it('runs now when a person asks, once at a time, also while it is disabled', async () => {
    let release: () => void = () => undefined;
    server.play = (answer) => {
      release = () => {
        answering('503 Busy')(answer);
      };
    };
    const cron = await created({ enabled: false });
    const runNow = (by = key, id: string = cron.id): Promise<Answer> =>
      app.call('POST', `${cronsOf()}/${id}/run`, as(by));
    const accepted = expectStatus(202, await runNow()).body.data;
    expect(accepted).toEqual({
      id: expect.stringMatching(/^crun_/),
      outcome: 'running',
      trigger: 'manual',
      scheduled_for: expect.any(String),
      started_at: expect.any(String),
    });
    await app.runSchedule('requested-crons');
    await eventually(() => server.requests.length === 1, 'the app is asked', LONG);
    expect(expectStatus(202, await runNow()).body.data).toMatchObject({ outcome: 'overlapped', trigger: 'manual' });
    await tick(cron.id);
    release();
    const [skipped, done] = await ended(cron.id, 2);
    expect([skipped.outcome, done.id, done.outcome, done.status]).toEqual(['overlapped', accepted.id, 'failed', 503]);
    expect(server.requests[0]).toMatch(/^GET \/api\/tick HTTP\/1\.1/);
    await app.runSchedule('requested-crons');
    expect(server.requests).toHaveLength(1);

    const path = `${cronsOf()}/${cron.id as string}/run`;
    expect(codeOf(await app.call('POST', path))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await runNow(await make.key(ada, { scopes: ['deploys:read'] })))).toEqual([
      403,
      'insufficient_scopes',
    ]);
    expect(codeOf(await runNow(await make.key(await make.person({ plan: 'pro' }))))).toEqual([
      404,
      'project_not_found',
    ]);
    expect(codeOf(await runNow(key, 'cron_00000000000000000000000000'))).toEqual([404, 'cron_not_found']);
    const headers = { 'idempotency-key': '' };
    expect(codeOf(await app.call('POST', path, as(key, { headers })))).toEqual([400, 'invalid_request']);
  });

  it('requests the path with a signature, through a protected host as well', async () => {
    server.play = answering('200 OK');
    const cron = await created({ path: '/api/tick?full=1' });
    await tick(cron.id);
    expect(await ended(cron.id)).toEqual([
      {
        id: expect.stringMatching(/^crun_/),
        outcome: 'succeeded',
        status: 200,
        trigger: 'schedule',
        scheduled_for: expect.any(String),
        started_at: expect.any(String),
        duration_ms: expect.any(Number),
      },
    ]);
    const [request = ''] = server.requests;
    expect(request).toMatch(/^GET \/api\/tick\?full=1 HTTP\/1\.1/);
    const headers = new Map(
      request
        .split('\r\n')
        .slice(1)
        .map((line) => line.toLowerCase().split(': ', 2) as [string, string]),
    );
    expect(headers.get('authorization')).toBe(`bearer ${SECRET}`);
    expect(headers.get('x-service-cron')).toBe(cron.id);
    const [, time, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get('x-service-signature')!)!;
    expect(mac).toBe(createHmac('sha256', SECRET).update(`${time}.${cron.id}./api/tick?full=1`).digest('hex'));

    await send(app, ['PATCH', `/api/v1/projects/${project}/protection`], { production: 'members' }, as(key));
    await tick(cron.id);
    expect((await ended(cron.id, 2))[0]).toMatchObject({ outcome: 'succeeded', status: 200 });
    expect(server.requests[1]).not.toMatch(/protection-bypass/i);
  });

  it('records failures and redirects, and sends nothing twice', async () => {
    const cron = await created();
    for (const [head, outcome] of [
      ['500 Internal Server Error', { outcome: 'failed', status: 500 }],
      ['307 Temporary Redirect', { outcome: 'succeeded', status: 307 }],
    ] as const) {
      server.requests.length = 0;
      server.play = answering(head);
      await tick(cron.id);
      await eventually(async () => (await runs(cron.id))[0]?.status === outcome.status, 'it has ended', LONG);
      expect((await runs(cron.id))[0]).toMatchObject(outcome);
      expect(server.requests).toHaveLength(1);
      await app.runSchedule('project-crons');
      expect(server.requests).toHaveLength(1);
    }
  });

  it('is counted by outcome, and with its delay', async () => {
    // No other cron is due meanwhile, and this one only when it is made to be.
    await make.sql("UPDATE project_crons SET next_at = now() + interval '1 day'");
    const rarely = { schedule: '0 0 1 1 *' };
    const outcomes = ['succeeded', 'failed', 'error', 'no_production', 'missed'];
    const before = await Promise.all(outcomes.map(firings));
    const delays = async (): Promise<number[]> => {
      const { text } = await app.fetch('/metrics');
      return ['count', 'sum'].map((part) =>
        Number(new RegExp(`^cron_delay_seconds_${part} (.+)$`, 'm').exec(text)![1]),
      );
    };
    const [count = 0, sum = 0] = await delays();
    const cron = await created(rarely);
    server.play = answering('204 No Content');
    await tick(cron.id, 20_000);
    await ended(cron.id, 1);
    server.play = answering('404 Not Found');
    await tick(cron.id);
    await ended(cron.id, 2);
    jest.spyOn(app.get(DeployEnvironment), 'of').mockRejectedValueOnce(new Error('The database is gone.'));
    await tick(cron.id);
    expect((await ended(cron.id, 3))[0]).toMatchObject({ outcome: 'failed' });
    await tick(cron.id, 3_600_000);
    project = await newProject();
    const other = await created(rarely);
    await tick(other.id);
    await ended(other.id);
    expect(await Promise.all(outcomes.map(firings))).toEqual(before.map((value) => value + 1));
    const [countAfter = 0, sumAfter = 0] = await delays();
    expect(countAfter).toBe(count + 4);
    expect(sumAfter - sum).toBeGreaterThanOrEqual(20);
  });

  it('is skipped while its last run is active, and after it was missed', async () => {
    let letGo = (): void => undefined;
    server.play = (answer) => {
      letGo = () => {
        answering('200 OK')(answer);
      };
    };
    const cron = await created();
    await tick(cron.id);
    await eventually(() => server.requests.length === 1, 'the app has the request', LONG);
    await tick(cron.id);
    expect((await runs(cron.id)).map(({ outcome }) => outcome)).toEqual(['overlapped', 'running']);
    letGo();
    await ended(cron.id, 2);
    await tick(cron.id, 3_600_000);
    expect((await runs(cron.id))[0]).toMatchObject({ outcome: 'missed' });
    expect(server.requests).toHaveLength(1);
  });

  it('is paused without a run after a downgrade, and is kept', async () => {
    const cron = await created();
    await make.plan(ada.organization.id, 'free');
    await tick(cron.id);
    expect(await runs(cron.id)).toEqual([]);
    expect(await list()).toEqual([expect.objectContaining({ id: cron.id, state: 'paused', next_runs: [] })]);
    await make.plan(ada.organization.id, 'pro');
    expect((await list())[0]).toMatchObject({ state: 'active' });
    expect(server.requests).toEqual([]);
  });

  it('ends as lost when the process that ran it ended', async () => {
    const cron = await created();
    await make.sql(
      `INSERT INTO cron_runs (id, cron_id, org_id, scheduled_for, started_at, outcome)
       VALUES ('crun_1', $1, $2, now(), now() - interval '1 hour', 'running')`,
      [cron.id, ada.organization.id],
    );
    const before = await firings('lost');
    await app.runSchedule('project-crons');
    expect((await runs(cron.id))[0]).toMatchObject({ outcome: 'lost' });
    expect(await firings('lost')).toBe(before + 1);
  });

  it('does not keep the crons of others waiting when one organization has many', async () => {
    server.play = () => undefined;
    const many = await Promise.all(Array.from({ length: 7 }, () => created()));
    const other = await make.person({ plan: 'pro' });
    const theirKey = await make.key(other);
    const theirs = await created({}, theirKey, await newProject(theirKey));
    await make.sql("UPDATE project_crons SET next_at = now() - interval '9 seconds' WHERE id = ANY($1)", [
      many.map(({ id }) => id as string),
    ]);
    await tick(theirs.id as string);
    const started = await make.sql('SELECT cron_id FROM cron_runs WHERE cron_id = ANY($1)', [
      [...many, theirs].map(({ id }) => id as string),
    ]);
    expect(started.filter(({ cron_id: id }) => id !== theirs.id)).toHaveLength(5);
    expect(started.filter(({ cron_id: id }) => id === theirs.id)).toHaveLength(1);
    for (const socket of server.connections) socket.destroy();
  });
});

describe('the crons of vercel.json', () => {
  const deploy = async (commit: string, crons: { path: string; schedule: string }[]): Promise<any> => {
    builds.commit = commit.repeat(40);
    builds.crons = crons;
    builds.files = { 'index.html': 'home', tick: commit };
    const path = `/api/v1/projects/${project}/deploys`;
    const { id } = expectStatus(202, await app.post(path, { type: 'production' }, as(key))).body.data;
    const get = async (): Promise<any> => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
    await eventually(async () => (await get()).finished_at !== undefined, 'the deploy has ended', LONG);
    return get();
  };

  it('follow production, keep their history, and run', async () => {
    const tickCron = { path: '/tick', schedule: '*/10 * * * *' };
    const first = await deploy('a', [
      tickCron,
      { path: '/old', schedule: '0 0 * * *' },
      { path: '/bad', schedule: '0 0 31 4 *' },
      { path: '/no space', schedule: '0 0 * * *' },
    ]);
    expect(first).toMatchObject({ state: 'ready', live: true });
    expect(
      (await app.fetch(`/api/v1/deploys/${first.id}/logs`, as(key))).text.match(/A cron was left out/g),
    ).toHaveLength(2);
    const own = await created({ path: '/mine' });
    const [kept, old] = await list();
    expect([kept, old]).toMatchObject([
      { path: '/tick', source: 'file', time_zone: 'UTC', state: 'active' },
      { path: '/old', source: 'file' },
    ]);
    expect(codeOf(await change(kept.id, { schedule: '0 0 * * *' }))).toEqual([409, 'cron_from_file']);
    expect(codeOf(await app.call('DELETE', `${cronsOf()}/${kept.id}`, as(key)))).toEqual([409, 'cron_from_file']);
    await tick(kept.id);
    expect((await ended(kept.id))[0]).toMatchObject({ outcome: 'succeeded', status: 200 });
    expectStatus(200, await change(kept.id, { enabled: false }));

    await deploy('b', [tickCron]);
    expect(await list()).toEqual([
      expect.objectContaining({ id: kept.id, enabled: false }),
      expect.objectContaining({ id: own.id }),
    ]);
    // A rollback brings back what the earlier deploy had.
    expectStatus(200, await app.post(`/api/v1/projects/${project}/rollback`, {}, as(key)));
    expect((await list()).map(({ path }) => path as string).sort()).toEqual(['/mine', '/old', '/tick']);

    expect((await app.call('DELETE', `/api/v1/projects/${project}`, as(key))).status).toBe(204);
    await eventually(
      async () => (await make.sql('SELECT id FROM project_crons WHERE project_id = $1', [project])).length === 0,
      'the crons are gone',
      LONG,
    );
  });

  it('give the server a secret that a variable of the project replaces', async () => {
    const { id } = await deploy('c', []);
    const environment = (): Promise<Readonly<Record<string, string>>> => app.get(DeployEnvironment).of(id as string);
    const { CRON_SECRET: derived } = await environment();
    expect(derived).toMatch(/^[\w-]{43}$/);
    const variables = [{ name: 'CRON_SECRET', value: 'my-own-secret', targets: ['production'], secret: true }];
    await send(app, ['PUT', `/api/v1/projects/${project}/env`], { variables }, as(key));
    const next = await deploy('d', []);
    expect((await app.get(DeployEnvironment).of(next.id as string))['CRON_SECRET']).toBe('my-own-secret');
    project = await newProject();
    const other = await deploy('e', []);
    expect((await app.get(DeployEnvironment).of(other.id as string))['CRON_SECRET']).not.toBe(derived);
  });
});
