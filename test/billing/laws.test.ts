import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import fc from 'fast-check';
import { ORG_ID } from '../../src/modules/orgs/orgs.ids.js';
import { MonthCloseRun } from '../../src/modules/billing/invoices/month-close-run.js';
import { type PlanId, PLAN_IDS } from '../../src/modules/plans/plan.js';
import { listPriceNano } from '../../src/modules/plans/plan-price.js';
import { SubscriptionOperations } from '../../src/modules/billing/operators/subscription-operations.js';
import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import { Ids } from '../../src/platform/ids/ids.js';
import { Make, uniqueName } from '../support/make.js';
import { useApp } from '../support/test-app.js';
import { Months } from './months.js';

const CHILD = join(__dirname, '../support/month-close.process.ts');
const HOOK = join(__dirname, '../support/typescript-hook.cjs');

const app = useApp({ PORT: '0' }, 'api');
const make = new Make(app);
let months: Months;

beforeAll(() => {
  months = new Months(app, make);
});
beforeEach(() => months.begin());

/** Inserts the account directly, because a sign-up hashes a password and is slow. */
async function newOrg(): Promise<string> {
  const id = app.get(Ids).next(ORG_ID);
  const name = uniqueName('org');
  await make.sql(
    `INSERT INTO organizations (id, slug, name, plan, created_at, updated_at) VALUES ($1, $2, $2, 'free', $3, $3)`,
    [id, name, new Date(months.period.from.getTime() - 1_000)],
  );
  return id;
}
const setPlan = (orgId: string, plan: PlanId): Promise<unknown> =>
  app
    .get(SubscriptionOperations)
    .set({ orgId, plan, priceNano: listPriceNano(plan) ?? 1_234_567_890_123n, reason: 'x' });
const only = async (text: string, values: unknown[]): Promise<bigint> =>
  BigInt(Object.values((await make.sql<Record<string, string>>(text, values))[0]!)[0]!);

/** What happens in a month, in order. */
interface Act {
  readonly second: number;
  readonly plan?: PlanId;
  readonly usage?: {
    readonly kind: 'reported' | 'paid for';
    readonly meter: 'sandbox_compute' | 'database_storage' | 'object_storage' | 'ai_tokens';
    readonly quantity: bigint;
  };
}

const acts = fc
  .array(
    fc
      .record({
        second: fc.integer({ min: 0, max: 28 * 86_400 - 1 }),
        what: fc.oneof(
          { weight: 1, arbitrary: fc.record({ plan: fc.constantFrom(...PLAN_IDS) }) },
          {
            weight: 3,
            arbitrary: fc.record({
              usage: fc.record({
                kind: fc.constantFrom('reported' as const, 'paid for' as const),
                meter: fc.constantFrom(
                  'sandbox_compute' as const,
                  'database_storage' as const,
                  'object_storage' as const,
                  'ai_tokens' as const,
                ),
                quantity: fc.bigInt({ min: 0n, max: 10n ** 9n }),
              }),
            }),
          },
        ),
      })
      .map(({ second, what }): Act => ({ second, ...what })),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => list.sort((one, other) => one.second - other.second));

async function live(orgId: string, list: readonly Act[]): Promise<void> {
  const work = app.get(PaidWorkService);
  let plan: PlanId = 'free';
  for (const [index, { second, plan: wanted, usage }] of list.entries()) {
    const at = months.at(second);
    if (wanted !== undefined) {
      await setPlan(orgId, wanted);
      plan = wanted;
    }
    if (usage === undefined) continue;
    const { kind, meter, quantity } = usage;
    const model = meter === 'ai_tokens' ? 'openai/gpt-mini:input' : null;
    const event = { source: 'law', sourceId: `${orgId} ${index}`, orgId, meter, model, quantity, occurredAt: at };
    if (kind === 'reported') {
      await months.use(orgId, event);
    } else {
      // Refused where there are neither credits nor a plan that is billed; then nothing is used.
      const begun = await work
        .begin({ orgId, plan, meter, lines: [{ model, quantity }], key: `${orgId} ${index}` })
        .catch(() => undefined);
      if (begun !== undefined) await work.end(begun, [{ ...event, quantity: quantity - quantity / 3n }]);
    }
  }
}

describe('any sequence of events in a month', () => {
  it('keeps the invoice equal to its lines, its events and its plan periods, and the ledger balanced', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 3 }), async (lives) => {
        const { from, to } = await months.begin();
        const orgIds = [];
        for (const list of lives) {
          const orgId = await newOrg();
          await live(orgId, list);
          orgIds.push(orgId);
        }
        expect(await months.close()).toMatchObject({ failed: 0 });

        for (const orgId of orgIds) {
          const invoiced = [orgId, from];
          const ofUsage = await only(
            `SELECT coalesce(sum(amount_nano), 0)::text FROM invoice_lines l
              JOIN invoices i ON i.id = l.invoice_id WHERE org_id = $1 AND i.period_from = $2
              AND kind IN ('usage', 'adjustment')`,
            invoiced,
          );
          expect(ofUsage).toBe(
            await only(
              'SELECT coalesce(sum(cost_nano), 0)::text FROM usage_months WHERE org_id = $1 AND month = $2::date',
              invoiced,
            ),
          );
          expect(ofUsage).toBe(
            await only(
              `SELECT coalesce(sum(cost_nano), 0)::text FROM usage_events WHERE org_id = $1
                AND billed_at >= $2 AND billed_at < $3`,
              [orgId, from, to],
            ),
          );

          const [invoice] = await make.sql(
            'SELECT id, total_cents FROM invoices WHERE org_id = $1 AND period_from = $2',
            invoiced,
          );
          if (invoice !== undefined) {
            expect(
              await only('SELECT sum(amount_nano)::text FROM invoice_lines WHERE invoice_id = $1', [invoice['id']]),
            ).toBe(BigInt(invoice['total_cents'] as string) * 10_000_000n);
            expect(
              await only(
                'SELECT coalesce(sum(amount_nano), 0)::text FROM ledger_entries WHERE org_id = $1 AND account = $2',
                [orgId, 'invoiced'],
              ),
            ).toBe(BigInt(invoice['total_cents'] as string) * 10_000_000n);
            expect(
              await only(
                'SELECT coalesce(sum(amount_nano), 0)::text FROM ledger_entries WHERE org_id = $1 AND account = $2',
                [orgId, 'usage_receivable'],
              ),
            ).toBe(0n);
          }
          const fees = await only(
            `SELECT coalesce(sum(amount_nano), 0)::text FROM invoice_lines l
              JOIN invoices i ON i.id = l.invoice_id WHERE org_id = $1 AND kind = 'base_fee'`,
            [orgId],
          );
          // ∫ price dt, worked out by the database.
          expect(fees).toBe(
            await only(
              `
          SELECT coalesce(div(sum(price_nano::numeric * extract(epoch
            FROM coalesce(until, $3) - effective_at)), extract(epoch FROM $3 - $2::timestamptz)), 0)::text
          FROM (SELECT price_nano, effective_at, lead(effective_at) OVER (ORDER BY effective_at,
            seq) AS until FROM plan_changes WHERE org_id = $1) AS held`,
              [orgId, from, to],
            ),
          );
        }
        expect(await only('SELECT coalesce(sum(amount_nano), 0)::text FROM ledger_entries', [])).toBe(0n);
        await requireNoGaps();
      }),
      { numRuns: 12, endOnFailure: true },
    );
  }, 120_000);
});

async function requireNoGaps(): Promise<void> {
  const numbers = (
    await make.sql<{ number: string }>('SELECT number FROM invoices WHERE number IS NOT NULL ORDER BY number')
  ).map(({ number }) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
}

describe('a process that is killed while it closes a month', () => {
  const kill = async (
    orgIds: readonly string[],
    now: Date,
    [when, which]: readonly [string, number],
  ): Promise<NodeJS.Signals | null> => {
    const { databaseUrl, redisUrl, dataDir } = app.config;
    const child = spawn(
      process.execPath,
      ['-r', HOOK, CHILD, orgIds.join(','), now.toISOString(), when, String(which)],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          ...process.env,
          DATABASE_URL: databaseUrl,
          REDIS_URL: redisUrl,
          DATA_DIR: dataDir,
          SANDBOX_ENABLED: 'false',
          PORT: '0',
          API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
          SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
        },
      },
    );
    const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return signal;
  };
  // The steps: the cut-off, the payment of what is left, the draft, the number. Before a commit and after the one
  // before it are the same.
  const places = [
    ['before', 2],
    ['before', 3],
    ['before', 4],
    ['after', 4],
  ] as const;
  const steps = ['gathering', 'gathering', 'draft', 'finalized'];

  /** Two that owe, one of them nothing but its plan, and one that has nothing to be billed for. */
  const newSet = async (): Promise<[string, string, string]> => {
    const orgIds: [string, string, string] = [await newOrg(), await newOrg(), await newOrg()];
    months.at(10);
    await setPlan(orgIds[0], 'builder');
    await setPlan(orgIds[1], 'pro');
    await months.use(orgIds[0], { meter: 'sandbox_compute', quantity: 36_000_000n });
    return orgIds;
  };

  it('leaves invoices that the next process completes, one per organization and number', async () => {
    const sets = [];
    for (let index = 0; index < places.length; index++) sets.push(await newSet());
    months.end();
    const now = new Date(months.period.from.getTime() + 49 * 3_600_000);
    const signals = await Promise.all(sets.map((orgIds, index) => kill(orgIds, now, places[index]!)));
    expect(signals).toEqual(places.map(() => 'SIGKILL'));
    const statesOf = async (orgIds: readonly string[]): Promise<unknown[]> =>
      (
        await make.sql('SELECT state FROM invoices WHERE org_id = ANY($1) ORDER BY org_id = $2', [orgIds, orgIds[2]])
      ).map(({ state }) => state);
    expect(await Promise.all(sets.map(statesOf))).toEqual(
      steps.map((state) => (state === 'gathering' ? [state, state, state] : [state, state])),
    );

    await Promise.all([app.get(MonthCloseRun).closeAllDue(), app.get(MonthCloseRun).closeAllDue()]);
    const shown = await Promise.all(
      sets.map((orgIds) =>
        make.sql(
          `
      SELECT state, total_cents, json_agg(json_build_array(position, kind, amount_nano::text)
        ORDER BY position)::text AS lines
      FROM invoices JOIN invoice_lines ON invoice_id = id WHERE org_id = ANY($1) GROUP BY id ORDER BY total_cents`,
          [orgIds],
        ),
      ),
    );
    expect(shown[0]!.map(({ total_cents: cents }) => cents)).toEqual(['5000', '29900']);
    for (const each of shown) expect(each).toEqual(shown[0]);
    const all = sets.flat();
    expect(
      await only('SELECT count(*)::text FROM closed_org_periods WHERE org_id = ANY($1) AND invoice_id IS NULL', [all]),
    ).toBe(BigInt(sets.length));
    expect(
      await only(`SELECT count(*)::text FROM ledger_transactions WHERE org_id = ANY($1) AND kind = 'invoice'`, [all]),
    ).toBe(2n * BigInt(sets.length));
    expect(
      await only(`SELECT count(*)::text FROM ledger_transactions WHERE org_id = ANY($1) AND kind = 'usage'`, [all]),
    ).toBe(BigInt(sets.length));
    expect(await only('SELECT coalesce(sum(amount_nano), 0)::text FROM ledger_entries', [])).toBe(0n);
    await requireNoGaps();
  }, 120_000);
});
