import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { LedgerService } from '../../src/modules/credits/ledger.service.js';
import { Database } from '../../src/platform/database/database.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { FakeModelRouter, type ScriptedAnswer } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { eventually, TestApp } from '../support/test-app.js';

const MODEL = 'fake/small';
const CHILDREN = 5;
const LIMIT = '0.005';
const SOON_MS = 30_000;

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'all');
const make = new Make(app);
let ada: Person;
let key: string;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada, { scopes: ['*'] });
});

afterAll(() => app.stop());

const fetched = async (path: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/${path}`, as(key))).body.data;
const agentOf = async (tools: object[]): Promise<any> => {
  const body = { name: uniqueName('agent'), instructions: 'Go on.', models: [MODEL], tools, max_output_tokens: 100 };
  return expectStatus(201, await app.post('/api/v1/agents', body, as(key))).body.data;
};
const sumOf = (runs: readonly any[]): bigint => runs.reduce((sum, { cost }) => sum + parseUsd(cost as string), 0n);

it('a tree of runs never spends more than its first run may, and goes on when that is raised', async () => {
  const child = await agentOf([{ name: 'remember' }]);
  const parent = await agentOf([{ name: 'start_agent', settings: { agents: [child.slug] } }]);
  let isEnough = false;
  // The children ask their model again and again, all at once, until there is no money or the test has seen enough.
  router.decide = ({ messages, tools }): ScriptedAnswer => {
    const answers = messages.filter(({ role }: { role: string }) => role === 'assistant').length;
    const isParent = tools?.[0]?.function.name === 'start_agent';
    if (isParent && answers === 0)
      return {
        tools: Array.from({ length: CHILDREN }, (_, index) => ({
          name: 'start_agent',
          arguments: JSON.stringify({ agent: child.slug, input: `Part ${index}`, wait: true }),
        })),
      };
    if (isParent || isEnough) return { text: 'Done.' };
    return { text: 'a b c d e f', tools: [{ name: 'remember', arguments: '{"text":"More."}' }] };
  };
  const start = await app.post(
    `/api/v1/agents/${parent.id as string}/runs`,
    { input: 'Go.', budget: { cost: LIMIT } },
    as(key),
  );
  const { id } = expectStatus(202, start).body.data as { id: string };
  let children: any[] = [];
  await eventually(
    async () => {
      children = await fetched(`runs?parent_run_id=${id}`);
      return children.length === CHILDREN && children.every(({ waiting_for: wait }) => wait === 'budget');
    },
    'all children wait for money',
    SOON_MS,
  );
  expect(children.map(({ wait_detail: detail }) => detail.subject)).toEqual(children.map(() => `run:${id}`));
  const before = await fetched(`runs/${id}`);
  expect(before).toMatchObject({ state: 'waiting', waiting_for: 'children' });
  expect(parseUsd(before.cost as string)).toBeLessThanOrEqual(parseUsd(LIMIT));
  // Little enough is left that no child can begin another call.
  expect(parseUsd(before.cost as string)).toBeGreaterThan(parseUsd(LIMIT) / 2n);
  const own = ((await fetched(`runs/${id}/steps`)) as any[]).reduce(
    (sum, step) => sum + parseUsd(step.cost as string),
    0n,
  );
  expect(own + sumOf(children)).toBe(parseUsd(before.cost as string));

  isEnough = true;
  expectStatus(200, await app.post(`/api/v1/runs/${id}/resume`, { budget: { cost: '0.05' } }, as(key)));
  for (const { id: childId } of children)
    expectStatus(200, await app.post(`/api/v1/runs/${childId as string}/resume`, {}, as(key)));
  await eventually(async () => (await fetched(`runs/${id}`)).ended_at !== undefined, 'the tree is over', SOON_MS);
  const after = await fetched(`runs/${id}`);
  expect(after).toMatchObject({ state: 'succeeded', output: 'Done.' });
  const revenue = -(await app.get(LedgerService).sum(ada.organization.id, 'revenue'));
  expect(parseUsd(after.cost as string)).toBe(revenue);
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
}, 120_000);
