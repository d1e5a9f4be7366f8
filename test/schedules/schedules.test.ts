import { as, expectStatus, Make, send } from '../support/make.js';
import { codeOf, SCHEDULES, Scheduling } from '../support/schedules.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp();
const make = new Make(app);
const schedules = new Scheduling(app);
const NOBODY = 'sch_00000000000000000000000000';

beforeAll(() => schedules.begin());

describe('POST /api/v1/schedules', () => {
  it('returns the schedule with its next two times in its time zone', async () => {
    const data = await schedules.created({
      every_seconds: undefined,
      cron: '30 5 * * *',
      time_zone: 'Asia/Kolkata',
      input: { topic: 'sales' },
      budget: { cost: '0.50', steps: 5 },
    });
    expect(data).toEqual({
      id: expect.stringMatching(/^sch_[0-9a-z]{26}$/),
      org_id: schedules.orgId,
      agent_id: schedules.agentId,
      name: 'Report',
      cron: '30 5 * * *',
      time_zone: 'Asia/Kolkata',
      input: { topic: 'sales' },
      budget: { cost: '0.5', steps: 5 },
      overlap: 'skip',
      catch_up: 'latest',
      catch_up_seconds: 3_600,
      jitter_seconds: 0,
      state: 'active',
      next_fires: [expect.stringMatching(/T00:00:00\.000Z$/), expect.stringMatching(/T00:00:00\.000Z$/)],
      failures_in_a_row: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      created_by: schedules.owner.user.id,
    });
    expect(await schedules.get(data.id)).toEqual(data);
    expect(await schedules.fires(data.id)).toEqual([]);
  });

  it.each<[string, object]>([
    ['', { every_seconds: undefined }],
    ['', { cron: '* * * * *' }],
    ['every_seconds', { every_seconds: 59 }],
    ['every_seconds', { every_seconds: 1e9 }],
    ['cron', { every_seconds: undefined, cron: '@daily' }],
    ['cron', { every_seconds: undefined, cron: '0 0 31 4,6 *' }],
    ['at', { every_seconds: undefined, at: '2020-01-01T00:00:00Z' }],
    ['at', { every_seconds: undefined, at: '2030-01-01T00:00:00' }],
    ['at', { every_seconds: undefined, at: '2050-01-01T00:00:00Z' }],
    ['time_zone', { time_zone: 'Mars/Phobos' }],
    ['time_zone', { time_zone: null }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['input', { input: undefined }],
    ['input', { input: 5 }],
    ['input', { input: ['a'] }],
    ['input', { input: 'x'.repeat(70_000) }],
    ['input', { input: { a: '\0' } }],
    ['overlap', { overlap: 'queue' }],
    ['catch_up', { catch_up: 'none' }],
    ['catch_up_seconds', { catch_up_seconds: 86_401 }],
    ['jitter_seconds', { jitter_seconds: 3_601 }],
    ['jitter_seconds', { every_seconds: 60, jitter_seconds: 60 }],
    ['budget.cost', { budget: { cost: '-1' } }],
    ['budget.cost', { budget: { cost: 1 } }],
    ['budget.steps', { budget: { steps: 0 } }],
    ['budget.tokens', { budget: { tokens: 5 } }],
    ['budget', { budget: null }],
    ['other', { other: 1 }],
  ])('returns 400 and names the field: %s (%#)', async (path, body) => {
    const answer = await schedules.create(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 403 on Free, and beyond the limit of the plan', async () => {
    const limited = new Scheduling(app);
    await limited.begin();
    await make.plan(limited.orgId, 'free');
    const refused = await limited.create();
    expect(codeOf(refused)).toEqual([403, 'feature_not_in_plan']);
    expect(refused.body.error.details).toMatchObject({ feature: 'swarms_and_cron', smallest_plan: 'builder' });
    await make.plan(limited.orgId, 'builder');
    const { id } = await limited.created();
    await make.sql(
      `INSERT INTO schedules SELECT (jsonb_populate_record(s, jsonb_build_object('id', 'sch_' || n))).*
       FROM schedules s, generate_series(1, 98) n WHERE s.id = $1`,
      [id],
    );
    const answers = await Promise.all([limited.create(), limited.create(), limited.create()]);
    expect(answers.map(codeOf).sort()).toEqual([
      [201, undefined],
      [403, 'plan_limit_reached'],
      [403, 'plan_limit_reached'],
    ]);
    const { error } = answers.find(({ status }) => status === 403)!.body;
    expect(error).toMatchObject({ message: 'Schedule limit reached: Builder allows 100.', details: { limit: 100 } });
  });

  it('returns 403 while the operator has switched schedules off', async () => {
    const { id } = await schedules.created();
    await make.sql("INSERT INTO feature_flags VALUES ('schedules', false, 1, now(), 'a test')");
    await app.runSchedule('feature-flags');
    try {
      expect(codeOf(await schedules.create())).toEqual([403, 'feature_disabled']);
      expect(codeOf(await schedules.act(id, 'trigger'))).toEqual([403, 'feature_disabled']);
    } finally {
      await make.sql("DELETE FROM feature_flags WHERE name = 'schedules'");
      await app.runSchedule('feature-flags');
    }
  });

  it('creates once with an idempotency key, and nothing on a dry run', async () => {
    const before = (await list()).length;
    const body = { agent_id: schedules.agentId, name: 'Once', every_seconds: 600, input: 'Go.' };
    const dry = await app.post(SCHEDULES, body, as(schedules.key, { headers: { 'dry-run': 'true' } }));
    expect(dry.body.meta.dry_run).toBe(true);
    const headers = { 'idempotency-key': 'a-key-of-this-test' };
    const [one, other] = [
      await app.post(SCHEDULES, body, as(schedules.key, { headers })),
      await app.post(SCHEDULES, body, as(schedules.key, { headers })),
    ];
    expect(other.body.data.id).toBe(one.body.data.id);
    expect((await list()).length).toBe(before + 1);
  });
});

const list = async (query = ''): Promise<any[]> =>
  expectStatus(200, await app.fetch(`${SCHEDULES}?limit=100${query}`, as(schedules.key))).body.data as any[];

describe('GET /api/v1/schedules', () => {
  it('lists newest first, in pages, by agent and state', async () => {
    const other = await schedules.agent(schedules.key);
    const ids = [];
    for (let count = 0; count < 3; count++) ids.unshift((await schedules.created({ agent_id: other })).id);
    expect((await list(`&agent_id=${other}`)).map(({ id }) => id)).toEqual(ids);
    const first = await app.fetch(`${SCHEDULES}?limit=2&agent_id=${other}`, as(schedules.key));
    expect(first.body.meta.has_more).toBe(true);
    const cursor = first.body.meta.next_cursor as string;
    const rest = await app.fetch(`${SCHEDULES}?limit=2&agent_id=${other}&cursor=${cursor}`, as(schedules.key));
    expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    await schedules.act(ids[0], 'pause');
    expect((await list(`&agent_id=${other}&state=paused`)).map(({ id }) => id)).toEqual([ids[0]]);
    expect(codeOf(await app.fetch(`${SCHEDULES}?state=gone`, as(schedules.key)))).toEqual([400, 'invalid_request']);
    expect(codeOf(await app.fetch(`${SCHEDULES}?cursor=x`, as(schedules.key)))).toEqual([400, 'invalid_request']);
  });
});

describe('POST /api/v1/schedules/preview', () => {
  const preview = (body: object, key = schedules.key) => app.post(`${SCHEDULES}/preview`, body, as(key));

  it('returns the next times', async () => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    expect((await preview({ at })).body.data.times).toHaveLength(1);
    const { times } = (await preview({ cron: '0 0 1 1 *', time_zone: 'Europe/Berlin', count: 2 })).body.data;
    expect(times).toEqual([expect.stringMatching(/-12-31T23:00/), expect.stringMatching(/-12-31T23:00/)]);
    const every = (await preview({ every_seconds: 60 })).body.data.times as string[];
    expect(Date.parse(every[1]!) - Date.parse(every[0]!)).toBe(60_000);
  });

  it('returns 400 without a timing, 401 without a key and 403 without the scope', async () => {
    expect(codeOf(await preview({}))).toEqual([400, 'invalid_request']);
    expect(codeOf(await preview({ cron: 'x' }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await preview({ every_seconds: 60, count: 101 }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await app.post(`${SCHEDULES}/preview`, {}))).toEqual([401, 'missing_api_key']);
    const other = await make.key(schedules.owner, { scopes: ['projects:read'] });
    expect(codeOf(await preview({ every_seconds: 60 }, other))).toEqual([403, 'insufficient_scopes']);
  });
});

describe('PATCH, DELETE, pause and resume', () => {
  it('changes the given fields; another timing replaces the one before', async () => {
    const { id } = await schedules.created({ budget: { steps: 3 } });
    const changed = expectStatus(200, await schedules.change(id, { name: 'New', budget: null, cron: '0 9 * * *' }));
    expect(changed.body.data).toMatchObject({ name: 'New', cron: '0 9 * * *', input: 'Go.', state: 'active' });
    expect(changed.body.data).not.toHaveProperty('every_seconds');
    expect(changed.body.data).not.toHaveProperty('budget');
    expect(changed.body.data.next_fires[0]).toMatch(/T09:00:00/);
    expect(codeOf(await schedules.change(id, { every_seconds: 60, cron: '* * * * *' }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(codeOf(await schedules.change(id, { time_zone: 'x' }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await schedules.change(id, { state: 'paused' }))).toEqual([400, 'invalid_request']);
  });

  it('pauses and resumes from now on', async () => {
    const { id } = await schedules.created();
    const paused = expectStatus(200, await schedules.act(id, 'pause')).body.data;
    expect(paused).toMatchObject({ state: 'paused', paused_because: 'person', next_fires: [] });
    expect(expectStatus(200, await schedules.act(id, 'pause')).body.data).toEqual(paused);
    const resumed = expectStatus(200, await schedules.act(id, 'resume')).body.data;
    expect(resumed).toMatchObject({ state: 'active', next_fires: [expect.any(String), expect.any(String)] });
    expect(resumed).not.toHaveProperty('paused_because');
    await schedules.act(id, 'pause');
    await make.plan(schedules.orgId, 'free');
    expect(codeOf(await schedules.act(id, 'resume'))).toEqual([403, 'feature_not_in_plan']);
    expect(codeOf(await schedules.act(id, 'trigger'))).toEqual([403, 'feature_not_in_plan']);
    await make.plan(schedules.orgId, 'builder');
  });

  it('deletes a schedule with its history', async () => {
    const { id } = await schedules.created();
    expectStatus(202, await schedules.act(id, 'trigger'));
    expect((await app.call('DELETE', `${SCHEDULES}/${id as string}`, as(schedules.key))).status).toBe(204);
    expect(codeOf(await app.fetch(`${SCHEDULES}/${id as string}`, as(schedules.key)))).toEqual([
      404,
      'schedule_not_found',
    ]);
    expect(await make.sql('SELECT 1 FROM schedule_fires WHERE schedule_id = $1', [id])).toEqual([]);
    expect(await make.sql('SELECT 1 FROM runs WHERE schedule_id = $1', [id])).toHaveLength(1);
  });

  it('is written to the audit log, without the input', async () => {
    const { id } = await schedules.created({ input: 'a secret input' });
    await schedules.change(id, { name: 'Other' });
    await schedules.act(id, 'pause');
    await schedules.act(id, 'resume');
    const rows = await make.sql('SELECT * FROM audit_log WHERE target_id = $1 ORDER BY id', [id]);
    expect(rows.map(({ action }) => action as string)).toEqual([
      'schedule.created',
      'schedule.updated',
      'schedule.paused',
      'schedule.resumed',
    ]);
    expect(JSON.stringify(rows)).not.toContain('a secret input');
  });

  it('goes away with its agent', async () => {
    const agent = await schedules.agent(schedules.key);
    const { id } = await schedules.created({ agent_id: agent });
    expect((await app.call('DELETE', `/api/v1/agents/${agent}`, as(schedules.key))).status).toBeLessThan(300);
    await eventually(
      async () => (await app.fetch(`${SCHEDULES}/${id as string}`, as(schedules.key))).status === 404,
      'the schedule is deleted',
      20_000,
    );
  });
});

describe('every route', () => {
  const routes = (id: string): [string, string, object?][] => [
    ['GET', `${SCHEDULES}/${id}`],
    ['PATCH', `${SCHEDULES}/${id}`, { name: 'Other' }],
    ['DELETE', `${SCHEDULES}/${id}`],
    ['POST', `${SCHEDULES}/${id}/pause`],
    ['POST', `${SCHEDULES}/${id}/resume`],
    ['POST', `${SCHEDULES}/${id}/trigger`],
    ['GET', `${SCHEDULES}/${id}/fires`],
  ];
  const ask = ([method, path, body]: [string, string, object?], key?: string) => {
    const options = key === undefined ? {} : as(key);
    return body === undefined ? app.call(method, path, options) : send(app, [method, path], body, options);
  };

  it('returns 401 without a key, 403 without the scope and 404 to other tenants', async () => {
    const { id } = await schedules.created();
    const reader = await make.key(schedules.owner, { scopes: ['agents:read'] });
    const nothing = await make.key(schedules.owner, { scopes: ['projects:read'] });
    const outsider = await make.key(await make.person({ plan: 'builder' }));
    for (const route of [
      ['POST', SCHEDULES, {}] as [string, string, object],
      ['GET', SCHEDULES] as [string, string],
      ...routes(id),
    ]) {
      expect(codeOf(await ask(route))).toEqual([401, 'missing_api_key']);
      expect(codeOf(await ask(route, nothing))).toEqual([403, 'insufficient_scopes']);
      if (route[0] !== 'GET') expect(codeOf(await ask(route, reader))).toEqual([403, 'insufficient_scopes']);
    }
    for (const route of routes(id)) {
      const [denied, missing] = [
        await ask(route, outsider),
        await ask(routes(NOBODY)[routes(id).indexOf(route)] ?? route, outsider),
      ];
      expect(codeOf(denied)).toEqual([404, 'schedule_not_found']);
      expect(codeOf(missing)).toEqual([404, 'schedule_not_found']);
    }
    expect(codeOf(await schedules.create({}, outsider))).toEqual([404, 'agent_not_found']);
    expect(await app.fetch(SCHEDULES, as(outsider)).then(({ body }) => body.data)).toEqual([]);
    expect(await schedules.get(id)).toMatchObject({ state: 'active', name: 'Report' });
  });
});
