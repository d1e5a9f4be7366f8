import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { FakeModelRouter, Gate, type ScriptedAnswer } from '../support/fake-model-router.js';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { eventually, TestApp } from '../support/test-app.js';
import { addSwarm } from './support.js';

const LEAD = 'fake/lead';
const WORKER = 'fake/worker';
const PRICING = { prompt: '0.000001', completion: '0.000002' };
const SOON_MS = 20_000;

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
router.models.push(
  ...[LEAD, WORKER].map((id) => ({ id, contextTokens: 32_768, maxOutputTokens: 1_000, pricing: PRICING })),
);
const app = new TestApp(settings, 'all');
const make = new Make(app);
let key: string;
let lead: string;
let worker: string;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  key = await make.key(await make.person({ plan: 'pro' }), { scopes: ['*'] });
  lead = await agentOf(LEAD, [{ name: 'board', settings: { role: 'coordinator' } }]);
  worker = await agentOf(WORKER, [{ name: 'board', settings: { role: 'worker' } }]);
});
afterAll(() => app.stop());

async function agentOf(model: string, tools: object[]): Promise<string> {
  const body = { name: uniqueName('agent'), instructions: 'Do it.', models: [model], tools, max_output_tokens: 1_000 };
  return expectStatus(201, await app.post('/api/v1/agents', body, as(key))).body.data.id as string;
}
const fetched = async (path: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/${path}`, as(key))).body.data;
const calls = (name: string, input: object = {}): ScriptedAnswer => ({
  text: 'Next.',
  tools: [{ name, arguments: JSON.stringify(input) }],
});
const create = async (more: object = {}): Promise<string> => {
  const body = {
    ...{ name: 'Prices', goal: 'Compare prices.', coordinator: { agent_id: lead } },
    ...{ workers: [{ agent_id: worker }], budget: { cost: '5' } },
    ...more,
  };
  return expectStatus(201, await app.post('/api/v1/swarms', body, as(key))).body.data.id as string;
};
const until = async (id: string, isSo: (swarm: any) => boolean, what: string): Promise<any> => {
  let swarm: any;
  await eventually(async () => isSo((swarm = await fetched(`swarms/${id}`))), what, SOON_MS);
  return swarm;
};

it('a swarm splits its goal into tasks, works through them, and pays for all of its runs', async () => {
  const last = new Gate();
  router.nextFor(
    LEAD,
    calls('board_add', {
      tasks: [
        { key: 'read', title: 'Read prices' },
        { key: 'compare', title: 'Compare them', needs: ['read'] },
      ],
    }),
  );
  router.alwaysFor(LEAD, calls('board_wait'));
  router.nextFor(
    WORKER,
    calls('board_claim'),
    calls('board_complete', { result: { a: 4 } }),
    calls('board_claim'),
    { ...calls('board_complete', { result: 'a is cheapest' }), before: last },
    calls('board_claim'),
  );
  router.alwaysFor(WORKER, { text: 'No task is left.' });
  const id = await create();
  await last.reached;
  const { text: metrics } = await app.fetch('/metrics');
  expect(metrics).toMatch(/^swarm_tasks\{state="claimed"\} 1$/m);
  expect(metrics).toMatch(/^swarms_stalled 0$/m);
  expect(await fetched(`swarms/${id}`)).toMatchObject({ state: 'running', tasks: { done: 1, claimed: 1 } });
  router.alwaysFor(LEAD, { text: 'a is cheapest.' });
  last.letGo();
  const swarm = await until(id, ({ state }) => state !== 'running', 'the swarm is over');
  expect(swarm).toMatchObject({ state: 'succeeded', output: 'a is cheapest.', tasks: { done: 2 } });
  const tasks = await fetched(`swarms/${id}/tasks`);
  expect(tasks).toMatchObject([
    { state: 'done', result: { a: 4 } },
    { state: 'done', result: 'a is cheapest' },
  ]);
  let runs: any[] = [];
  await eventually(
    async () => (runs = (await fetched(`runs?swarm_id=${id}`)) as any[]).every((run) => run.ended_at !== undefined),
    'all runs have ended',
    SOON_MS,
  );
  expect(runs.length).toBeGreaterThan(1);
  const cost = runs.reduce((sum, run) => sum + parseUsd(run.cost as string), 0n);
  expect(cost).toBeGreaterThan(0n);
  expect((await fetched(`swarms/${id}`)).cost).toBe(formatUsd(cost));

  // Old swarms are deleted with their boards and budgets, and others stay.
  const other = await addSwarm(app, make, swarm.org_id as string, 'succeeded');
  await make.sql("UPDATE swarms SET ended_at = now() - interval '91 days', needs_turn = false WHERE id = $1", [id]);
  await app.runSchedule('old-swarms');
  expect((await app.fetch(`/api/v1/swarms/${id}`, as(key))).status).toBe(404);
  expect(await make.sql('SELECT id FROM swarm_tasks WHERE swarm_id = $1', [id])).toEqual([]);
  expect(await make.sql("SELECT id FROM budgets WHERE subject LIKE 'swarm%' || $1", [id])).toEqual([]);
  await fetched(`swarms/${other}`);
}, 60_000);

it('workers leave the reserve to the coordinator', async () => {
  router.nextFor(LEAD, calls('board_add', { tasks: [{ title: 'Too expensive' }] }));
  const answer = new Gate();
  router.alwaysFor(LEAD, { text: 'Nobody could work.', before: answer });
  // A call of a worker may cost more than what is left to workers.
  const id = await create({ budget: { cost: '0.1', coordinator_reserve: '0.0999' } });
  let workers: any[] = [];
  await eventually(
    async () => {
      workers = await fetched(`runs?swarm_id=${id}&agent_id=${worker}`);
      return workers[0]?.waiting_for === 'budget';
    },
    'the worker waits for money',
    SOON_MS,
  );
  expect(workers).toHaveLength(1);
  answer.letGo();
  const swarm = await until(id, ({ state }) => state !== 'running', 'the swarm is over');
  expect(swarm).toMatchObject({ state: 'succeeded', output: 'Nobody could work.', tasks: { cancelled: 1 } });
  await eventually(
    async () => (await fetched(`runs/${workers[0].id}`)).state === 'cancelled',
    'the worker is cancelled',
    SOON_MS,
  );
}, 60_000);

it('a run waits for the run of another agent, and gets its output', async () => {
  const { slug } = await fetched(`agents/${worker}`);
  const boss = await agentOf(LEAD, [{ name: 'start_agent', settings: { agents: [slug] } }]);
  router.nextFor(LEAD, calls('start_agent', { agent: slug, input: 'What does a cost?' }), { text: 'It costs 4.' });
  router.nextFor(WORKER, { text: 'a costs 4' });
  const { id } = expectStatus(202, await app.post(`/api/v1/agents/${boss}/runs`, { input: 'Ask.' }, as(key))).body.data;
  let run: any;
  await eventually(async () => (run = await fetched(`runs/${id}`)).ended_at !== undefined, 'it has ended', SOON_MS);
  expect(run).toMatchObject({ state: 'succeeded', output: 'It costs 4.' });
  const [child] = await fetched(`runs?parent_run_id=${id}`);
  expect(child).toMatchObject({ state: 'succeeded', input: 'What does a cost?', trigger: 'agent' });
  const [step] = await fetched(`runs/${id}/steps`);
  expect(step.tool_calls[0]).toMatchObject({
    state: 'succeeded',
    output: { run_id: child.id, output: 'a costs 4' },
  });
}, 60_000);
