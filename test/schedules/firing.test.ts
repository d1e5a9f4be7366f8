import { RunEndsService } from '../../src/modules/runs/run-ends.service.js';
import { RunRequestsService } from '../../src/modules/runs/run-requests.service.js';
import { ScheduleFiresStore } from '../../src/modules/schedules/persistence/schedule-fires.store.js';
import { Database } from '../../src/platform/database/database.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, Make, send } from '../support/make.js';
import { codeOf, SCHEDULES, Scheduling } from '../support/schedules.js';
import { eventually, useApp } from '../support/test-app.js';

// Runs stay queued until a test ends them.
const app = useApp({ FEATURE_FLAGS: 'agent_runs=off' });
const make = new Make(app);
const schedules = new Scheduling(app);

beforeAll(() => schedules.begin('pro'));
afterEach(() => {
  jest.restoreAllMocks();
});

const runsOf = (id: string): Promise<any[]> => make.sql('SELECT * FROM runs WHERE schedule_id = $1 ORDER BY id', [id]);
const stateOf = async (runId: string): Promise<string> =>
  (await make.sql<{ state: string }>('SELECT state FROM runs WHERE id = $1', [runId]))[0]!.state;
const lastRunOf = async (id: string): Promise<string> => (await schedules.fires(id))[0].run_id as string;

describe('a schedule that is due', () => {
  it('starts a run as its maker, with its input and limits', async () => {
    const { id } = await schedules.created({ input: { topic: 'sales' }, budget: { cost: '0.25', steps: 7 } });
    await schedules.due(id);
    const [fire] = await schedules.fires(id);
    expect(fire).toEqual({
      id: expect.stringMatching(/^fir_/),
      schedule_id: id,
      due_at: expect.stringMatching(/\.000Z$/),
      state: 'started',
      run_id: expect.stringMatching(/^run_/),
      fired_at: expect.any(String),
    });
    const [run] = await runsOf(id);
    expect(run).toMatchObject({
      id: fire.run_id,
      org_id: schedules.orgId,
      agent_id: schedules.agentId,
      trigger: 'schedule',
      user_id: schedules.owner.user.id,
      key_id: expect.stringMatching(/^key_/),
      input: { topic: 'sales' },
    });
    const shown = await schedules.get(id);
    expect(shown.last_fire).toEqual(fire);
    const [next, then] = shown.next_fires.map((time: string) => Date.parse(time)) as [number, number];
    expect([next - Date.parse(fire.due_at), then - next]).toEqual([3_600_000, 3_600_000]);
  });

  it('fires each time once, also when it is swept again', async () => {
    const { id } = await schedules.created();
    await schedules.due(id);
    for (let count = 0; count < 3; count++) await app.runSchedule('agent-schedules');
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('is finished after its only time', async () => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await schedules.created({ every_seconds: undefined, at });
    await make.sql(
      `UPDATE schedules SET at = date_trunc('second', now()), next_at = date_trunc('second', now()), wake_at = now()
       WHERE id = $1`,
      [id],
    );
    await app.runSchedule('agent-schedules');
    await eventually(async () => (await schedules.fires(id)).length === 1, 'it has fired');
    expect(await schedules.get(id)).toMatchObject({ state: 'paused', paused_because: 'finished', next_fires: [] });
    expect(codeOf(await schedules.act(id, 'resume'))).toEqual([400, 'invalid_request']);
    const again = expectStatus(200, await schedules.change(id, { at })).body.data;
    expect(again).toMatchObject({ state: 'active', next_fires: [expect.any(String)] });
  });

  it('fires later by its jitter, and no earlier', async () => {
    const { id } = await schedules.created({ jitter_seconds: 3_599 });
    const [row] = await make.sql<{ next_at: Date; wake_at: Date }>('SELECT * FROM schedules WHERE id = $1', [id]);
    const jitter = row!.wake_at.getTime() - row!.next_at.getTime();
    expect(jitter).toBeGreaterThan(0);
    expect(jitter).toBeLessThan(3_599_000);
    const now = jest.spyOn(app.get(Clock), 'now');
    now.mockReturnValue(new Date(row!.wake_at.getTime() - 1));
    await app.runSchedule('agent-schedules');
    expect(await make.sql('SELECT 1 FROM schedule_fires WHERE schedule_id = $1', [id])).toEqual([]);
    now.mockReturnValue(row!.wake_at);
    await app.runSchedule('agent-schedules');
    now.mockRestore();
    await eventually(async () => (await schedules.fires(id)).length === 1, 'it has fired');
    expect((await schedules.fires(id))[0].due_at).toBe(row!.next_at.toISOString());
  });
});

describe('a run that is still active', () => {
  it('skip: lets the time pass', async () => {
    const { id } = await schedules.created();
    await schedules.due(id, 3_000);
    await schedules.due(id, 2_000);
    expect(await schedules.outcomes(id)).toEqual(['started', 'skipped overlap']);
    await schedules.end(id, (await runsOf(id))[0].id as string, 'succeeded');
    await schedules.due(id, 0);
    expect(await schedules.outcomes(id)).toEqual(['started', 'skipped overlap', 'started']);
  });

  it('buffer_one: starts one when it ends', async () => {
    const { id } = await schedules.created({ overlap: 'buffer_one' });
    for (const lateMs of [3_000, 2_000, 1_000]) await schedules.due(id, lateMs);
    expect(await schedules.outcomes(id)).toEqual(['started', 'due overlap', 'skipped overlap']);
    await schedules.end(id, (await runsOf(id))[0].id as string, 'failed');
    await app.runSchedule('agent-schedules');
    await eventually(async () => (await runsOf(id)).length === 2, 'the waiting one has started');
    expect(await schedules.outcomes(id)).toEqual(['started', 'started', 'skipped overlap']);
    await schedules.due(id, 0);
    expect((await schedules.outcomes(id)).at(-1)).toBe('due overlap');
    await schedules.act(id, 'pause');
    expect((await schedules.outcomes(id)).at(-1)).toBe('skipped schedule_paused');
  });

  it('cancel_other: cancels it', async () => {
    const { id } = await schedules.created({ overlap: 'cancel_other' });
    await schedules.due(id, 2_000);
    const first = await lastRunOf(id);
    await schedules.due(id, 1_000);
    expect(await schedules.outcomes(id)).toEqual(['started', 'started']);
    expect(await stateOf(first)).toBe('cancelled');
    expect(await stateOf(await lastRunOf(id))).toBe('queued');
    expect(await schedules.get(id)).toMatchObject({ failures_in_a_row: 0 });
  });

  it('allow: has both', async () => {
    const { id } = await schedules.created({ overlap: 'allow' });
    for (const lateMs of [2_000, 1_000]) await schedules.due(id, lateMs);
    expect((await runsOf(id)).map(({ state }) => state as string)).toEqual(['queued', 'queued']);
  });
});

describe('an outage', () => {
  it('is made up for with the latest time, or with all', async () => {
    const latest = await schedules.created({ every_seconds: 60 });
    await schedules.due(latest.id, 185_000);
    expect(await schedules.outcomes(latest.id)).toEqual([
      'skipped catch_up',
      'skipped catch_up',
      'skipped catch_up',
      'started',
    ]);
    const all = await schedules.created({ every_seconds: 60, catch_up: 'all', overlap: 'allow' });
    await schedules.due(all.id, 185_000);
    expect(await schedules.outcomes(all.id)).toEqual(['started', 'started', 'started', 'started']);
  });

  it('is recorded as missed where it is too long ago', async () => {
    const { id } = await schedules.created({ every_seconds: 60, catch_up_seconds: 90 });
    await schedules.due(id, 245_000);
    expect(await schedules.outcomes(id)).toEqual([
      'missed outside_catch_up',
      'missed outside_catch_up',
      'missed outside_catch_up',
      'skipped catch_up',
      'started',
    ]);
  });
});

describe('a clock that jumps', () => {
  it('fires nothing twice when it is set back', async () => {
    const { id } = await schedules.created();
    await schedules.due(id);
    const { next_fires: before } = await schedules.get(id);
    const real = Date.now();
    const now = jest.spyOn(app.get(Clock), 'now');
    now.mockImplementation(() => new Date(real - 7_200_000));
    await app.runSchedule('agent-schedules');
    now.mockRestore();
    await app.runSchedule('agent-schedules');
    expect(await schedules.outcomes(id)).toEqual(['started']);
    expect((await schedules.get(id)).next_fires).toEqual(before);
  });

  it('leaves out a time that has a fire, if a schedule is set back', async () => {
    const { id } = await schedules.created({ overlap: 'allow' });
    await schedules.due(id);
    const [{ due_at: dueAt }] = await schedules.fires(id);
    await make.sql('UPDATE schedules SET next_at = $2, then_at = NULL, wake_at = $2 WHERE id = $1', [id, dueAt]);
    await app.runSchedule('agent-schedules');
    await eventually(async () => Date.parse((await schedules.get(id)).next_fires[0]) > Date.now(), 'it was swept');
    expect(await runsOf(id)).toHaveLength(1);
  });
});

describe('failures', () => {
  it('pause after five in a row, and a success in between counts from the start', async () => {
    const { id } = await schedules.created({ overlap: 'allow' });
    const end = async (state: 'succeeded' | 'failed' | 'timed_out' | 'cancelled', lateMs: number): Promise<void> => {
      await schedules.due(id, lateMs);
      await schedules.end(id, await lastRunOf(id), state);
    };
    let lateMs = 20_000;
    for (const state of ['failed', 'timed_out', 'failed', 'succeeded', 'failed', 'cancelled'] as const)
      await end(state, (lateMs -= 1_000));
    expect(await schedules.get(id)).toMatchObject({ state: 'active', failures_in_a_row: 1 });
    for (let count = 0; count < 4; count++) await end('failed', (lateMs -= 1_000));
    expect(await schedules.get(id)).toMatchObject({
      state: 'paused',
      paused_because: 'failures',
      failures_in_a_row: 5,
      next_fires: [],
    });
    const [entry] = await make.sql("SELECT * FROM audit_log WHERE target_id = $1 AND action = 'schedule.paused'", [id]);
    expect(entry!['details']).toMatchObject({ because: 'failures' });
    expect(expectStatus(200, await schedules.act(id, 'resume')).body.data).toMatchObject({
      state: 'active',
      failures_in_a_row: 0,
    });
  });

  it('are no failures of the schedule while the agent is paused', async () => {
    const agent = await schedules.agent(schedules.key);
    const { id } = await schedules.created({ agent_id: agent });
    expectStatus(200, await send(app, ['PATCH', `/api/v1/agents/${agent}`], { state: 'paused' }, as(schedules.key)));
    await schedules.due(id);
    expect(await schedules.outcomes(id)).toEqual(['failed agent_paused']);
    expect(await schedules.get(id)).toMatchObject({ state: 'active', failures_in_a_row: 0 });
  });

  it('of one schedule do not keep the others from firing', async () => {
    const [bad, good] = [await schedules.created(), await schedules.created()];
    const requests = app.get(RunRequestsService);
    const createAll = requests.createAll.bind(requests);
    jest.spyOn(requests, 'createAll').mockImplementation((runs) => {
      if (runs.some(({ scheduleId }) => scheduleId === bad.id)) return Promise.reject(new Error('broken'));
      return createAll(runs);
    });
    await make.sql(
      `UPDATE schedules SET next_at = date_trunc('second', now()), then_at = NULL, wake_at = now() WHERE id = ANY($1)`,
      [[bad.id, good.id]],
    );
    await app.runSchedule('agent-schedules');
    await eventually(async () => (await schedules.fires(good.id)).length === 1, 'the other has fired');
    await eventually(async () => (await schedules.fires(bad.id)).length === 1, 'the failure is recorded');
    expect(await schedules.outcomes(good.id)).toEqual(['started']);
    expect(await schedules.outcomes(bad.id)).toEqual(['failed internal_error']);
    expect(await schedules.get(bad.id)).toMatchObject({ failures_in_a_row: 1 });
  });
});

it('ends its sweep when no failure can be recorded, and fires once that is over', async () => {
  const { id } = await schedules.created();
  const spy = jest.spyOn(app.get(ScheduleFiresStore), 'insert').mockRejectedValue(new Error('broken'));
  await make.sql(
    `UPDATE schedules SET next_at = date_trunc('second', now()), then_at = NULL, wake_at = now() WHERE id = $1`,
    [id],
  );
  await app.runSchedule('agent-schedules');
  expect(await schedules.fires(id)).toEqual([]);
  spy.mockRestore();
  await app.runSchedule('agent-schedules');
  await eventually(async () => (await schedules.fires(id)).length === 1, 'it has fired');
  expect(await runsOf(id)).toHaveLength(1);
});

describe('a smaller plan', () => {
  it('pauses schedules when they fire or within a minute, and a larger one resumes those', async () => {
    const tenant = new Scheduling(app);
    await tenant.begin();
    const [one, other, stopped] = [await tenant.created(), await tenant.created(), await tenant.created()];
    await tenant.act(stopped.id, 'pause');
    await make.plan(tenant.orgId, 'free');
    await tenant.due(one.id);
    expect(await tenant.outcomes(one.id)).toEqual(['skipped feature_not_in_plan']);
    expect(await tenant.get(one.id)).toMatchObject({ state: 'paused', paused_because: 'plan' });
    expect(await tenant.get(other.id)).toMatchObject({ state: 'active' });
    await app.runSchedule('agent-schedules-of-plans');
    await eventually(async () => (await tenant.get(other.id)).state === 'paused', 'it is paused');
    expect(await tenant.get(other.id)).toMatchObject({ paused_because: 'plan' });
    await make.plan(tenant.orgId, 'builder');
    await app.runSchedule('agent-schedules-of-plans');
    await eventually(async () => (await tenant.get(other.id)).state === 'active', 'it is resumed');
    expect(await tenant.get(one.id)).toMatchObject({
      state: 'active',
      next_fires: [expect.any(String), expect.any(String)],
    });
    expect(await tenant.get(stopped.id)).toMatchObject({ state: 'paused', paused_because: 'person' });
  });
});

describe('POST /api/v1/schedules/:schedule_id/trigger', () => {
  it('fires now, by the rule for overlap, also while it is paused', async () => {
    const { id } = await schedules.created();
    await schedules.act(id, 'pause');
    const fire = expectStatus(202, await schedules.act(id, 'trigger')).body.data;
    expect(fire).toMatchObject({ state: 'started', run_id: expect.stringMatching(/^run_/) });
    expect(await schedules.get(id)).toMatchObject({ state: 'paused', paused_because: 'person', last_fire: fire });
    const again = expectStatus(202, await schedules.act(id, 'trigger')).body.data;
    expect(again).toMatchObject({ state: 'skipped', reason: 'overlap' });
  });

  it('leaves the next times as they are, and takes none of them', async () => {
    const { id, next_fires: before } = await schedules.created({ overlap: 'allow' });
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000);
    jest.spyOn(app.get(Clock), 'now').mockReturnValue(at);
    const answers = [await schedules.act(id, 'trigger'), await schedules.act(id, 'trigger')];
    jest.restoreAllMocks();
    const times = answers.map((answer) => expectStatus(202, answer).body.data.due_at as string);
    expect(new Set([...times, at.toISOString()]).size).toBe(3);
    expect((await schedules.get(id)).next_fires).toEqual(before);
  });

  it('creates nothing on a dry run', async () => {
    const { id } = await schedules.created();
    const headers = { 'dry-run': 'true' };
    const dry = await app.call('POST', `${SCHEDULES}/${id as string}/trigger`, as(schedules.key, { headers }));
    expect(expectStatus(202, dry).body.meta.dry_run).toBe(true);
    expect(await runsOf(id)).toEqual([]);
  });
});

describe('fires', () => {
  it('are listed in pages, and deleted after 90 days', async () => {
    const { id } = await schedules.created({ overlap: 'allow' });
    for (const lateMs of [3_000, 2_000, 1_000]) await schedules.due(id, lateMs);
    const path = `${SCHEDULES}/${id as string}/fires`;
    const page = await app.fetch(`${path}?limit=2`, as(schedules.key));
    expect([page.body.data.length, page.body.meta.has_more]).toEqual([2, true]);
    const rest = await app.fetch(`${path}?cursor=${page.body.meta.next_cursor as string}`, as(schedules.key));
    expect(rest.body.data).toHaveLength(1);
    expect(codeOf(await app.fetch(`${path}?limit=0`, as(schedules.key)))).toEqual([400, 'invalid_request']);
    const now = jest.spyOn(app.get(Clock), 'now');
    now.mockReturnValue(new Date(Date.now() + 89 * 86_400_000));
    await app.runSchedule('old-schedule-fires');
    expect(await make.sql('SELECT 1 FROM schedule_fires WHERE schedule_id = $1', [id])).toHaveLength(3);
    now.mockReturnValue(new Date(Date.now() + 91 * 86_400_000));
    await app.runSchedule('old-schedule-fires');
    expect(await make.sql('SELECT 1 FROM schedule_fires WHERE schedule_id = $1', [id])).toEqual([]);
  });

  it('are counted, with how late they were', async () => {
    const count = async (pattern: RegExp): Promise<number> =>
      Number(pattern.exec((await app.fetch('/metrics')).text)?.[1]);
    const started = /^agent_schedule_fires_total\{outcome="started"\} (\d+)/m;
    const lag = /^agent_schedule_lag_seconds_count (\d+)/m;
    const before = [await count(started), await count(lag)];
    const { id } = await schedules.created();
    await schedules.due(id);
    expect([await count(started), await count(lag)]).toEqual(before.map((value) => value + 1));
  });
});

it('ends with its run when that is cancelled through its own door', async () => {
  const { id } = await schedules.created();
  await schedules.due(id, 2_000);
  const run = await lastRunOf(id);
  await app.get(Database).transaction(() => app.get(RunEndsService).cancel(schedules.orgId, [run], 'A test.'));
  await schedules.due(id, 1_000);
  expect(await schedules.outcomes(id)).toEqual(['started', 'started']);
});
