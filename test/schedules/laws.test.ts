import { Make } from '../support/make.js';
import { Scheduling } from '../support/schedules.js';
import { eventually, type TestApp, useApp } from '../support/test-app.js';

const app = useApp({ FEATURE_FLAGS: 'agent_runs=off' });
const make = new Make(app);
const schedules = new Scheduling(app);
const others: TestApp[] = [];

beforeAll(async () => {
  await schedules.begin('enterprise');
  others.push(await app.another(), await app.another());
});
afterAll(async () => {
  for (const other of others) await other.stop();
});

/** Copies a schedule, so that there are `count` more, all due at once. */
async function copies(id: string, count: number, lateSeconds = 1): Promise<void> {
  await make.sql(
    `INSERT INTO schedules SELECT (jsonb_populate_record(s, jsonb_build_object(
       'id', 'sch_' || md5(s.id || n), 'wake_at', due.at, 'next_at', due.at, 'anchor_at', due.at,
       'then_at', due.at + s.every_seconds * interval '1 second'))).*
     FROM schedules s, generate_series(1, $2::int) n,
       (SELECT date_trunc('second', now()) - $3 * interval '1 second' AS at) AS due WHERE s.id = $1`,
    [id, count, lateSeconds],
  );
}

const firesOf = (name: string): Promise<{ id: string; due: string; run: string | null; state: string }[]> =>
  make.sql(
    `SELECT s.id, fire.due_at::text AS due, fire.run_id AS run, fire.state FROM schedules s
     LEFT JOIN schedule_fires fire ON fire.schedule_id = s.id WHERE s.name = $1`,
    [name],
  );

const sweepTogether = (): Promise<unknown> =>
  Promise.all([app, ...others].map((each) => each.runSchedule('agent-schedules')));

async function settled(): Promise<void> {
  await eventually(
    async () => (await make.sql('SELECT 1 FROM schedules WHERE wake_at <= now() LIMIT 1')).length === 0,
    'nothing is due',
    30_000,
  );
}

it('starts one run for each time of 1,500 schedules in three racing processes', async () => {
  const { id } = await schedules.created({ name: 'raced', overlap: 'allow', every_seconds: 86_400 });
  await copies(id, 1_500);
  await Promise.all([sweepTogether(), sweepTogether()]);
  await settled();
  const fires = (await firesOf('raced')).filter((fire) => fire.id !== id);
  expect(fires).toHaveLength(1_500);
  expect(fires.every(({ state, run }) => state === 'started' && run !== null)).toBe(true);
  expect(new Set(fires.map(({ run }) => run)).size).toBe(1_500);
  const runs = await make.sql<{ n: number; distinct: number }>(
    `SELECT count(*)::int AS n, count(DISTINCT schedule_id)::int AS distinct FROM runs
     WHERE schedule_id IN (SELECT id FROM schedules WHERE name = 'raced')`,
  );
  expect(runs[0]).toEqual({ n: 1_500, distinct: 1_500 });
});

it('starts every time within the window after an outage, when all may run', async () => {
  const { id } = await schedules.created({ name: 'late', overlap: 'allow', catch_up: 'all', every_seconds: 60 });
  await copies(id, 20, 1_795);
  await sweepTogether();
  await settled();
  const fires = (await firesOf('late')).filter((fire) => fire.id !== id);
  expect(fires.every(({ state }) => state === 'started')).toBe(true);
  const times = new Map<string, Set<string>>();
  for (const fire of fires) times.set(fire.id, (times.get(fire.id) ?? new Set()).add(fire.due));
  expect(times.size).toBe(20);
  for (const each of times.values()) expect(each.size).toBe(30);
});

it('fires 10,000 schedules that are due at once', async () => {
  const { id } = await schedules.created({ name: 'many', overlap: 'allow', every_seconds: 86_400 });
  await copies(id, 10_000);
  const began = performance.now();
  await app.runSchedule('agent-schedules');
  await settled();
  const took = performance.now() - began;
  const fires = (await firesOf('many')).filter((fire) => fire.id !== id);
  expect(fires).toHaveLength(10_000);
  expect(fires.every(({ state }) => state === 'started')).toBe(true);
  // The bench measures what an idle machine needs; this only finds what has become slower by an order of magnitude.
  expect(took).toBeLessThan(60_000);
});
