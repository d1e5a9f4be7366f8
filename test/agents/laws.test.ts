import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentTools } from '../../src/modules/agents/agent-tools.js';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { LedgerService } from '../../src/modules/credits/ledger.service.js';
import { Database } from '../../src/platform/database/database.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { FakeModelRouter, Gate, ROUTER_KEY, type ScriptedAnswer } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { RunWorker } from '../support/run-worker.js';
import { eventually, TestApp } from '../support/test-app.js';

const MODEL = 'fake/small';
const CLASSES = ['read', 'keyed', 'once', 'local'] as const;
/** One of so many boundaries is tried, beginning with a random one. 1 tries all of them, about 180. */
const EVERY = Number(process.env['AGENT_KILL_EVERY'] ?? 20);
const LANES = 3;

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
// There is no worker in this process: runs are driven by those that the tests kill.
const app = new TestApp(settings, 'api');
const make = new Make(app);
const workers: RunWorker[] = [];
/** How often an effect reached the outside, by `class/run`, and the keys that came with it. */
const effects = new Map<string, string[]>();
const outside = createServer((request, response) => {
  const [, effect, run, effectKey] = request.url!.split('/');
  const place = `${effect!}/${run!}`;
  effects.set(place, [...(effects.get(place) ?? []), effectKey!]);
  response.end();
});
let ada: Person;
let key: string;

beforeAll(async () => {
  outside.listen(0, '127.0.0.1');
  await once(outside, 'listening');
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  await make.sql('CREATE TABLE test_effects (run_id text, key text)');
  for (const name of CLASSES)
    app.get(AgentTools).register({
      name: `test_${name}`,
      summary: 'Is tested.',
      scopes: [],
      faultsOf: () => [],
      toolsOf: () => Promise.resolve([]),
    });
});

beforeEach(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada, { scopes: ['*'] });
});

afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));

afterAll(async () => {
  await app.stop();
  outside.close();
});

const worker = async (dieBefore?: number): Promise<RunWorker> => {
  const started = new RunWorker({
    settings: {
      ...app.sharedSettings,
      REDIS_TIMEOUT_MS: '5000',
      OPENROUTER_URL: router.url,
      OPENROUTER_API_KEY: ROUTER_KEY,
      AGENT_RUNS_CONCURRENCY: '100',
    },
    effectsUrl: `http://127.0.0.1:${(outside.address() as AddressInfo).port}`,
    ...(dieBefore === undefined ? {} : { dieBefore }),
  });
  workers.push(started);
  await started.ready();
  return started;
};
const agentOf = async (): Promise<string> =>
  expectStatus(
    201,
    await app.post(
      '/api/v1/agents',
      {
        name: uniqueName('agent'),
        instructions: 'Be brief.',
        models: [MODEL],
        tools: CLASSES.map((name) => ({ name: `test_${name}` })),
      },
      as(key),
    ),
  ).body.data.id as string;
/** Repeats the call while the machine is too busy, as the client library does. */
async function startOf(agent: string): Promise<string> {
  let answer = await app.post(`/api/v1/agents/${agent}/runs`, { input: 'Go.' }, as(key));
  for (let again = 0; answer.status === 503 && again < 10; again++)
    answer = await app.post(`/api/v1/agents/${agent}/runs`, { input: 'Go.' }, as(key));
  return expectStatus(202, answer).body.data.id as string;
}
const runOf = async (id: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/runs/${id}`, as(key))).body.data;
/** What the clock does in half a minute: the leases of lost workers end. */
const leasesEnd = (): Promise<unknown> => make.sql("UPDATE runs SET ready_at = now() WHERE state = 'running'");
/** Lets the leases of lost workers last until {@link leasesEnd}, however slow the machine is. */
const leasesLast = (): Promise<unknown> =>
  make.sql("UPDATE runs SET ready_at = now() + interval '1 hour' WHERE state = 'running'");

/** One answer with a call of each class, one more call after that, and then the output. */
const decide = ({ messages }: { messages: { role: string }[] }): ScriptedAnswer => {
  const asked = messages.filter(({ role }) => role === 'assistant').length;
  if (asked === 0) return { tools: CLASSES.map((name) => ({ name: `test_${name}`, arguments: '{}' })) };
  return asked === 1 ? { tools: [{ name: 'test_local', arguments: '{}' }] } : { text: 'Done.' };
};

it('survives SIGKILL at every boundary: effects happen as often as their class says', async () => {
  router.decide = decide;
  const agent = await agentOf();
  await startOf(agent);
  const boundaries = (await (await worker()).take())!;
  expect(boundaries).toBeGreaterThan(20);

  const first = 1 + Math.floor(Math.random() * Math.min(EVERY, boundaries));
  const deaths = Array.from({ length: boundaries }, (_, index) => index + 1).filter(
    (boundary) => (boundary - first) % EVERY === 0,
  );
  const kills = { count: 0 };
  // The leases of lost workers last, so that each worker takes its own run alone and no run is asked for too often.
  for (let lane = 0; lane < deaths.length; lane += LANES) {
    const group = await Promise.all(deaths.slice(lane, lane + LANES).map((dieBefore) => worker(dieBefore)));
    for (const dying of group) {
      const id = await startOf(agent);
      if ((await dying.take()) === undefined) kills.count++;
      await dying.stop();
      await leasesLast();
      expect(id).toMatch(/^run_/);
    }
  }
  expect(kills.count).toBeGreaterThan(deaths.length * 0.8);

  const ids = (await make.sql<{ id: string }>('SELECT id FROM runs WHERE agent_id = $1', [agent])).map(({ id }) => id);
  expect(ids).toHaveLength(deaths.length + 1);
  await finish(ids);
  const locals = await make.sql<{ run_id: string; count: number }>(
    'SELECT run_id, count(DISTINCT key)::int AS keys, count(*)::int AS count FROM test_effects GROUP BY run_id',
  );
  for (const id of ids) {
    const { state, error } = await runOf(id);
    expect({ id, state, error }).toEqual({ id, state: 'succeeded' });
    expect(effects.get(`once/${id}`)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(new Set(effects.get(`keyed/${id}`)).size).toBe(1);
    expect(locals.find(({ run_id: run }) => run === id)).toMatchObject({ keys: 2, count: 2 });
  }
  await expectAsksBounded(ids);
  await expectDiagram(ids);
  await expectMoneyAgrees(ids);
}, 600_000);

/** Lets all runs end, and says of calls whose outcome is unknown what the outside knows. */
async function finish(ids: readonly string[]): Promise<void> {
  const waits = new Set<string>();
  for (let round = 0; round < 5; round++) {
    await leasesEnd();
    const last = await worker();
    await last.take();
    await last.stop();
    for (const id of ids) {
      const { state, waiting_for: waitingFor } = await runOf(id);
      if (state !== 'waiting') continue;
      waits.add(waitingFor);
      if (waitingFor === 'unknown_outcome') await settle(id);
      else await make.sql('UPDATE runs SET ready_at = now() WHERE id = $1', [id]);
    }
  }
  // A process that dies after the call was committed as begun leaves its outcome unknown.
  if (EVERY === 1) expect(waits).toContain('unknown_outcome');
}

async function settle(id: string): Promise<void> {
  const steps: any[] = expectStatus(200, await app.fetch(`/api/v1/runs/${id}/steps`, as(key))).body.data;
  const call = steps.flatMap((step) => step.tool_calls).find(({ waiting_for: wait }) => wait === 'unknown_outcome');
  expect(call).toMatchObject({ tool: 'test_once', state: 'outcome_unknown' });
  const outcome = effects.has(`once/${id}`) ? 'happened' : 'did_not_happen';
  expectStatus(200, await app.post(`/api/v1/runs/${id}/messages`, { call_id: call.id, outcome }, as(key)));
}

/** An answer that was committed is never asked for again, and others at most twice more. */
async function expectAsksBounded(ids: readonly string[]): Promise<void> {
  const steps = await make.sql<{ run_id: string; seq: number; asks: number }>(
    'SELECT run_id, seq, asks FROM run_steps WHERE run_id = ANY($1)',
    [ids],
  );
  for (const { asks } of steps) expect(asks).toBeLessThanOrEqual(3);
  const events = await make.sql<{ run_id: string; count: number }>(
    `SELECT run_id, count(*)::int AS count FROM run_events
     WHERE type = 'step.ended' AND run_id = ANY($1) GROUP BY run_id`,
    [ids],
  );
  for (const { count } of events) expect(count).toBe(3);
  const gaps = await make.sql(
    `SELECT run_id FROM run_events WHERE run_id = ANY($1)
     GROUP BY run_id HAVING max(seq) <> count(*) OR min(seq) <> 1`,
    [ids],
  );
  expect(gaps).toEqual([]);
}

const AFTER: Readonly<Record<string, readonly string[]>> = {
  'run.queued': ['run.started', 'run.cancelled'],
  'run.started': ['run.resumed', 'run.waiting', 'run.succeeded', 'run.failed', 'run.cancelled'],
  'run.resumed': ['run.resumed', 'run.waiting', 'run.succeeded', 'run.failed', 'run.cancelled'],
  'run.waiting': ['run.resumed', 'run.cancelled', 'run.timed_out'],
};

/** However workers died, the states of runs have followed the diagram, and no lease is longer than it may be. */
async function expectDiagram(ids: readonly string[]): Promise<void> {
  const events = await make.sql<{ run_id: string; type: string }>(
    "SELECT run_id, type FROM run_events WHERE run_id = ANY($1) AND type LIKE 'run.%' ORDER BY run_id, seq",
    [ids],
  );
  for (const id of ids) {
    const types = events.filter(({ run_id: run }) => run === id).map(({ type }) => type);
    expect(types[0]).toBe('run.queued');
    for (const [index, type] of types.slice(1).entries()) expect(AFTER[types[index]!] ?? []).toContain(type);
  }
  expect(await make.sql("SELECT id FROM runs WHERE ready_at > now() + interval '31 seconds'")).toEqual([]);
}

/** What the runs have cost is what was charged for their generations, lost ones included. */
async function expectMoneyAgrees(ids: readonly string[]): Promise<void> {
  await make.sql("UPDATE generation_starts SET gives_up_at = now() - interval '1 second'");
  await runElsewhere('lost-generations');
  await make.sql("UPDATE holds SET expires_at = now() - interval '1 second' WHERE state = 'held'");
  await runElsewhere('credits');
  const costs = await Promise.all(ids.map(async (id) => parseUsd((await runOf(id)).cost as string)));
  const revenue = -(await app.get(LedgerService).sum(ada.organization.id, 'revenue'));
  expect(costs.reduce((sum, cost) => sum + cost, 0n)).toBe(revenue);
  const [{ sum }] = (await make.sql<{ sum: string }>(
    'SELECT coalesce(sum(cost_nano), 0)::text AS sum FROM generations WHERE org_id = $1',
    [ada.organization.id],
  )) as [{ sum: string }];
  expect(BigInt(sum)).toBe(revenue);
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
}

async function runElsewhere(schedule: string): Promise<void> {
  const other = await app.another({ role: 'all' });
  await other.runSchedule(schedule);
  await other.stop();
}

it('lets a worker that was stopped beyond its lease write nothing', async () => {
  const agent = await agentOf();
  const id = await startOf(agent);
  const gate = new Gate();
  router.next({ tools: [{ name: 'test_once', arguments: '{}' }], before: gate });
  const stopped = await worker();
  const taken = stopped.take();
  await gate.reached;
  stopped.child.kill('SIGSTOP');
  gate.letGo();
  await leasesEnd();
  router.decide = ({ messages }) =>
    messages.some(({ role }: { role: string }) => role === 'tool')
      ? { text: 'From the second worker.' }
      : { tools: [{ name: 'test_once', arguments: '{}' }] };
  await (await worker()).take();
  const before = await runOf(id);
  expect(before).toMatchObject({ state: 'succeeded', output: 'From the second worker.' });
  stopped.child.kill('SIGCONT');
  await taken;
  expect(await runOf(id)).toEqual({ ...before, cost: expect.any(String) });
  expect(effects.get(`once/${id}`)).toHaveLength(1);
}, 120_000);

it('takes a run once, however many workers race for it', async () => {
  router.decide = () => ({ text: 'Done.' });
  const agent = await agentOf();
  const ids: string[] = [];
  while (ids.length < 60) ids.push(...(await Promise.all(Array.from({ length: 6 }, () => startOf(agent)))));
  const racing = await Promise.all([worker(), worker(), worker()]);
  await Promise.all(racing.map((each) => each.take()));
  await eventually(async () => {
    const [{ count }] = (await make.sql(
      "SELECT count(*)::int AS count FROM runs WHERE state = 'succeeded' AND agent_id = $1",
      [agent],
    )) as [{ count: number }];
    return count === ids.length;
  }, 'all runs are over');
  const taken = await make.sql<{ run_id: string; count: number }>(
    `SELECT run_id, count(*)::int AS count FROM run_events
     WHERE type IN ('run.started', 'run.resumed') AND run_id = ANY($1) GROUP BY run_id`,
    [ids],
  );
  expect(taken.map(({ count }) => count)).toEqual(ids.map(() => 1));
}, 120_000);
