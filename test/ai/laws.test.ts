import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import type { OrgMembership } from '../../src/modules/auth/principal.js';
import { LedgerService } from '../../src/modules/credits/ledger.service.js';
import { Database } from '../../src/platform/database/database.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { FakeModelRouter, Gate, ROUTER_KEY } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type CallerReport, ModelCaller } from '../support/model-caller.js';
import { eventually, TestApp } from '../support/test-app.js';

const CHAT = '/api/v1/ai/chat/completions';
const MODEL = 'fake/small';
const BODY = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 4 };

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'all');
const make = new Make(app);
let key: string;
let buyer: Person;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
});

beforeEach(async () => {
  buyer = await make.person({ plan: 'enterprise' });
  key = await make.key(buyer, { scopes: ['ai:invoke', 'billing:read', 'billing:write'] });
});

afterAll(() => app.stop());

const callerOf = (order: { calls: number; dieBefore?: number }): ModelCaller =>
  new ModelCaller({
    settings: {
      ...app.sharedSettings,
      // So many calls at once keep a busy machine from answering in time.
      REDIS_TIMEOUT_MS: '5000',
      OPENROUTER_URL: router.url,
      OPENROUTER_API_KEY: ROUTER_KEY,
    },
    org: { ...buyer.organization, plan: 'enterprise', role: 'owner' } as OrgMembership,
    userId: buyer.user.id,
    body: BODY,
    ...order,
  });

const revenueOf = async (): Promise<bigint> => -(await app.get(LedgerService).sum(buyer.organization.id, 'revenue'));

it('lets as many of 1,000 calls through as there is money for, in three processes', async () => {
  const succeeding = 100;
  const { max_cost: held } = expectStatus(200, await app.post(CHAT, BODY, as(key, { headers: { 'dry-run': 'true' } })))
    .body.data;
  // Without credits the plan bills usage, and below the cap is room for so many.
  expectStatus(200, await app.fetch('/api/v1/billing/credits', as(key)));
  await make.sql('UPDATE credit_grants SET expires_at = now() WHERE org_id = $1', [buyer.organization.id]);
  await app.runSchedule('credits');
  const amount = formatUsd(parseUsd(held) * BigInt(succeeding + 1) - 1n);
  expectStatus(200, await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount }, as(key)));

  const gate = new Gate();
  // Each call keeps what it holds until all have asked.
  router.alwaysFor(MODEL, { text: 'a b c d', before: gate });
  const callers = [334, 333, 333].map((calls) => callerOf({ calls }));
  const reports = Promise.all(callers.map((caller) => caller.report()));
  const refused = eventually(
    () => callers.reduce((sum, { refusals }) => sum + refusals, 0) >= 1_000 - succeeding,
    'all others are refused',
    80_000,
  );
  // A caller that fails says why.
  await Promise.race([refused, reports]);
  gate.letGo();
  const total: Record<string, number> = {};
  for (const report of await reports)
    for (const [outcome, count] of Object.entries({ ...report!.refused, succeeded: report!.succeeded }))
      total[outcome] = (total[outcome] ?? 0) + count;
  expect(total).toEqual({ succeeded: succeeding, spend_cap_reached: 1_000 - succeeding });
  expect(router.calls).toHaveLength(succeeding);
  const billed = [...router.generations.values()].slice(-succeeding);
  expect(await revenueOf()).toBe(billed.reduce((sum, { costNano }) => sum + costNano, 0n));
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
}, 120_000);

it('bills once at most, and exactly where the ID was known, when its process is killed before any query', async () => {
  // The first call opens the account, too.
  await callerOf({ calls: 1 }).report();
  const { queries } = (await callerOf({ calls: 1 }).report())!;
  expect(queries).toBeGreaterThan(8);
  const deaths = Array.from({ length: queries }, (_, index) => index + 1);
  const reports: (CallerReport | undefined)[] = [];
  // Three processes at a time are as many as the machine has use for.
  await Promise.all(
    [0, 1, 2].map(async (lane) => {
      for (const dieBefore of deaths.filter((each) => each % 3 === lane))
        reports.push(await callerOf({ calls: 1, dieBefore }).report());
    }),
  );
  expect(reports.filter((report) => report === undefined).length).toBeGreaterThan(queries - 3);
  await eventually(() => [...router.generations.values()].every(({ isOver }) => isOver), 'the router is done');

  const known = await make.sql<{ id: string; upstream: string }>(
    'SELECT id, upstream_id AS upstream FROM generation_starts WHERE org_id = $1 AND upstream_id IS NOT NULL',
    [buyer.organization.id],
  );
  expect(known.length).toBeGreaterThan(0);
  await afterwards();
  const rows = await make.sql<{ id: string; upstream: string; cost: string; outcome: string }>(
    `SELECT id, upstream_id AS upstream, cost_nano::text AS cost, outcome FROM generations WHERE org_id = $1`,
    [buyer.organization.id],
  );
  // Each is billed once, at what the router has billed for it.
  expect(new Set(rows.map(({ upstream }) => upstream)).size).toBe(rows.length);
  expect(rows.map(({ cost }) => cost)).toEqual(
    rows.map(({ upstream }) => String(router.generations.get(upstream)!.costNano)),
  );
  expect(
    rows
      .filter(({ outcome }) => outcome === 'lost')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(known.map(({ id }) => id).sort());
  // The calls that lost nothing: the first one, and those killed after their price was written.
  expect(rows.filter(({ outcome }) => outcome === 'succeeded').length).toBeGreaterThan(0);
  expect(await revenueOf()).toBe(rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n));
  expect(await make.sql("SELECT key FROM holds WHERE state = 'held'")).toEqual([]);
  expect(await make.sql('SELECT id FROM generation_starts')).toEqual([]);
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
}, 180_000);

/** What happens in the half hour after a process was lost. */
async function afterwards(): Promise<void> {
  await make.sql("UPDATE generation_starts SET gives_up_at = now() - interval '1 second'");
  await app.runSchedule('lost-generations');
  await make.sql("UPDATE holds SET expires_at = now() - interval '1 second' WHERE state = 'held'");
  await app.runSchedule('credits');
}
