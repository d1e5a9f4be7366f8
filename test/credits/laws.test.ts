import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { CreditBalanceService } from '../../src/modules/credits/credit-balance.service.js';
import { GrantsService } from '../../src/modules/credits/grants/grants.service.js';
import { LedgerService } from '../../src/modules/credits/ledger.service.js';
import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import type { PaidWork } from '../../src/modules/credits/paid-work.js';
import { Database } from '../../src/platform/database/database.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { Make } from '../support/make.js';
import { spendApart, type SpenderOrder } from '../support/spender.js';
import { eventually, type TestApp, useApp } from '../support/test-app.js';
import { faultsOf } from './support.js';

const HOUR_MS = 3_600_000;
const HOUR_NANO = parseUsd('0.1');

const app = useApp();
const make = new Make(app);
const faults = (): Promise<string[]> => faultsOf(app.get(Database).manager);

const order = (input: Partial<SpenderOrder> & Pick<SpenderOrder, 'orgId'>): SpenderOrder => ({
  settings: {
    ...app.sharedSettings,
  },
  plan: 'free',
  keys: [randomUUID()],
  ms: HOUR_MS,
  withinMs: 600_000,
  ...input,
});

/** `organization` has exactly so much. */
async function orgWith(usd: string): Promise<string> {
  const {
    organization: { id },
  } = await make.person();
  await app.get(CreditBalanceService).of(id);
  await app.get(GrantsService).grant({
    orgId: id,
    amountNano: parseUsd(usd) - parseUsd('5'),
    priority: 1,
    expiresAt: null,
    appliesTo: null,
    reason: 'a test',
    key: randomUUID(),
  });
  return id;
}

describe('the ledger', () => {
  it('stays balanced under concurrent grants, holds, settlements, refunds and expiry', async () => {
    const other = await app.another({ role: 'api' });
    try {
      const hours = fc.integer({ min: 0, max: 30 });
      const step = fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            do: fc.constant('begin' as const),
            hours,
            plan: fc.constantFrom('free' as const, 'pro' as const),
            chargesBeyond: fc.boolean(),
          }),
        },
        { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), hours, which: fc.nat() }) },
        {
          weight: 1,
          arbitrary: fc.record({ do: fc.constantFrom('abandon' as const, 'refund' as const), hours, which: fc.nat() }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constant('grant' as const),
            hours: fc.integer({ min: 1, max: 30 }),
            livesMs: fc.option(fc.integer({ min: 0, max: 200 })),
            priority: fc.nat(2),
          }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 6 }),
          async (rounds) => {
            const {
              organization: { id: orgId },
            } = await make.person();
            const works: PaidWork[] = [];
            const at = (which: number): PaidWork | undefined => works[which % (works.length || 1)];
            const perform = async (by: TestApp, each: (typeof rounds)[number][number]): Promise<void> => {
              const paid = by.get(PaidWorkService);
              switch (each.do) {
                case 'begin':
                  // Some are taken back by the sweep before they end.
                  works.push(
                    await paid.begin({
                      orgId,
                      plan: each.plan,
                      meter: 'sandbox_compute' as const,
                      lines: [{ quantity: BigInt(each.hours * HOUR_MS) }],
                      key: randomUUID(),
                      withinMs: each.hours % 3 === 0 ? 1 : 60_000,
                      chargesBeyond: each.chargesBeyond,
                    }),
                  );
                  return;
                case 'end': {
                  const work = at(each.which);
                  if (work !== undefined)
                    await paid.end(work, [
                      {
                        source: 'law',
                        sourceId: work.key,
                        orgId,
                        meter: 'sandbox_compute' as const,
                        quantity: BigInt(each.hours * HOUR_MS),
                        occurredAt: work.begunAt,
                      },
                    ]);
                  return;
                }
                case 'abandon': {
                  const work = at(each.which);
                  if (work !== undefined) await paid.abandon(work);
                  return;
                }
                case 'refund': {
                  const work = at(each.which);
                  if (work !== undefined)
                    await by.get(GrantsService).refund({
                      orgId,
                      workKey: work.key,
                      amountNano: BigInt(each.hours) * HOUR_NANO,
                      key: randomUUID(),
                    });
                  return;
                }
                case 'grant':
                  await by.get(GrantsService).grant({
                    orgId,
                    amountNano: BigInt(each.hours) * HOUR_NANO,
                    priority: each.priority,
                    appliesTo: null,
                    reason: 'a law',
                    key: randomUUID(),
                    expiresAt: each.livesMs === null ? null : new Date(Date.now() + each.livesMs),
                  });
                  return;
                case 'sweep':
                  await app.runSchedule('credits');
              }
            };
            for (const round of rounds) {
              const results = await Promise.allSettled(
                round.map((each, index) => perform(index % 2 === 0 ? app : other, each)),
              );
              const unexpected = results.filter(
                (result) => result.status === 'rejected' && (result.reason as { status?: number }).status !== 402,
              );
              expect(unexpected).toEqual([]);
              expect(await faults()).toEqual([]);
            }
            expect(await app.get(LedgerService).sum(orgId, 'revenue')).toBe(-(await spentOf(orgId)));
          },
        ),
        { numRuns: 12 },
      );
    } finally {
      await other.stop();
    }
  }, 120_000);

  const spentOf = async (orgId: string): Promise<bigint> => {
    const [row] = await make.sql<{ cost: string; refunded: string }>(
      `SELECT coalesce(sum(cost_nano), 0)::text AS cost, coalesce((SELECT sum(refunded_nano)
        FROM holds WHERE org_id = $1), 0)::text AS refunded FROM usage_events WHERE org_id = $1`,
      [orgId],
    );
    return BigInt(row!.cost) - BigInt(row!.refunded);
  };

  it('stays balanced when concurrent batches settle the same work twice', async () => {
    const [paid, orgId] = [app.get(PaidWorkService), await orgWith('7')];
    const spend = async (): Promise<string> => {
      const work = await paid.begin({
        orgId,
        plan: 'free',
        meter: 'sandbox_compute' as const,
        lines: [{ quantity: BigInt(HOUR_MS / 10) }],
        key: randomUUID(),
      });
      const event = {
        source: 'law',
        sourceId: work.key,
        orgId,
        meter: 'sandbox_compute' as const,
        quantity: BigInt(HOUR_MS / 10),
        occurredAt: work.begunAt,
      };
      const costs = await Promise.all([paid.end(work, [event]), paid.end(work, [event])]);
      return costs.map(({ costNano }) => String(costNano)).join(' ');
    };
    const results = await Promise.allSettled(Array.from({ length: 1_300 }, spend));
    const outcomes = results.map((result) =>
      result.status === 'fulfilled' ? result.value : (result.reason as { code?: string }).code,
    );
    const cost = String(HOUR_NANO / 10n);
    expect([
      outcomes.filter((outcome) => outcome === `${cost} ${cost}`).length,
      outcomes.filter((outcome) => outcome === 'credits_exhausted').length,
    ]).toEqual([700, 600]);
    expect(await app.get(CreditBalanceService).of(orgId)).toMatchObject({ balanceNano: 0n, heldNano: 0n });
    expect(await app.get(LedgerService).sum(orgId, 'revenue')).toBe(-parseUsd('7'));
    expect(await faults()).toEqual([]);
  }, 60_000);

  it('rejects unbalanced transactions and changes of entries in the database', async () => {
    const ledger = app.get(LedgerService);
    const transaction = {
      key: randomUUID(),
      kind: 'payment',
      orgId: null,
      at: new Date(),
      entries: [
        { account: 'cash', amountNano: 5n, orgId: null },
        { account: 'invoiced', amountNano: -5n, orgId: null },
      ],
    } as const;
    expect([await ledger.post(transaction), await ledger.post(transaction)]).toEqual([true, false]);
    await expect(
      ledger.post({
        ...transaction,
        entries: [
          { account: 'cash', amountNano: 6n, orgId: null },
          { account: 'invoiced', amountNano: -6n, orgId: null },
        ],
      }),
    ).rejects.toThrow('other entries');
    await expect(
      ledger.post({
        ...transaction,
        key: randomUUID(),
        entries: [
          { account: 'cash', amountNano: 6n, orgId: null },
          { account: 'invoiced', amountNano: -5n, orgId: null },
        ],
      }),
    ).rejects.toThrow('sum to zero');
    const { key } = transaction;
    await expect(make.sql("INSERT INTO ledger_entries VALUES ($1, 3, 'cash', NULL, 1)", [key])).rejects.toThrow(
      'do not sum to zero',
    );
    const apart = randomUUID();
    await make.sql("INSERT INTO ledger_transactions (key, kind, details, at) VALUES ($1, 'payment', '{}', now())", [
      apart,
    ]);
    const entries = (of: string, ...values: string[]): Promise<unknown> =>
      make.sql(
        `INSERT INTO ledger_entries SELECT $1, e.*
          FROM (VALUES ${values.join(', ')}) AS e (position, account, org_id, amount_nano)`,
        [of],
      );
    await expect(entries(key, "(3, 'cash', NULL, 1)", "(4, 'revenue', NULL, -1)")).rejects.toThrow('are not all of it');
    await expect(entries(apart, "(0, 'cash', NULL, 1)", "(2, 'revenue', NULL, -1)")).rejects.toThrow(
      'are not all of it',
    );
    await expect(entries(apart, "(1, 'cash', NULL, 1)", "(3, 'revenue', NULL, -1)")).rejects.toThrow(
      'are not all of it',
    );
    await expect(entries(apart, "(1, 'cash', NULL, 1)", "(2, 'revenue', NULL, -2)")).rejects.toThrow(
      'do not sum to zero',
    );
    await expect(entries(randomUUID(), "(1, 'cash', NULL, 1)", "(2, 'revenue', NULL, -1)")).rejects.toThrow(
      'There is no ledger transaction',
    );
    await entries(apart, "(1, 'cash', NULL, 1)", "(2, 'revenue', NULL, -1)");
    await expect(
      make.sql('UPDATE ledger_entries SET amount_nano = 1 WHERE transaction_key = $1', [key]),
    ).rejects.toThrow('append-only');
    await expect(make.sql('DELETE FROM ledger_transactions WHERE key = $1', [key])).rejects.toThrow('append-only');
    await expect(make.sql('TRUNCATE ledger_entries')).rejects.toThrow('append-only');
    const orgId = await orgWith('6');
    await expect(
      make.sql('UPDATE credit_accounts SET held_nano = posted_nano + 1 WHERE org_id = $1', [orgId]),
    ).rejects.toThrow('credit_accounts_never_overspent');
    expect(await faults()).toEqual([]);
  });
});

describe('four processes', () => {
  it('that spend concurrently have exactly as much paid as there are credits', async () => {
    const orgId = await orgWith('10');
    const results = await Promise.all(
      Array.from({ length: 4 }, () =>
        spendApart(order({ orgId, keys: Array.from({ length: 250 }, () => randomUUID()) })),
      ),
    );
    const total = (outcome: string): number => results.reduce((sum, result) => sum + (result![outcome] ?? 0), 0);
    expect([total('paid'), total('credits_exhausted')]).toEqual([100, 900]);
    expect(await app.get(CreditBalanceService).of(orgId)).toMatchObject({ balanceNano: 0n, heldNano: 0n });
    expect(await app.get(LedgerService).sum(orgId, 'revenue')).toBe(-parseUsd('10'));
    expect(await faults()).toEqual([]);
  }, 90_000);

  it('that settle the same work have it paid once', async () => {
    const orgId = await orgWith('10');
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const results = await Promise.all(Array.from({ length: 2 }, () => spendApart(order({ orgId, keys }))));
    expect(results).toEqual([{ paid: 20 }, { paid: 20 }]);
    expect(await app.get(LedgerService).sum(orgId, 'revenue')).toBe(-20n * HOUR_NANO);
    expect(await faults()).toEqual([]);
  }, 90_000);
});

describe('a process that is killed', () => {
  const BOUNDARIES = (['begin', 'end'] as const).flatMap((phase) =>
    (['before', 'after'] as const).map((at) => ({ in: phase, at })),
  );

  it('around any commit leaves no paid work unmetered, none billed twice, and no hold for ever', async () => {
    const orgId = await orgWith('10');
    await Promise.all(
      BOUNDARIES.map(async (kill) => {
        const key = `killed-${kill.at}-${kill.in}`;
        expect(await spendApart(order({ orgId, keys: [key], kill }))).toBeUndefined();
      }),
    );
    expect(await faults()).toEqual([]);
    // A transaction of a process that is gone may have to be noticed by the database.
    const states = async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (await make.sql<{ key: string; state: string }>('SELECT key, state FROM holds WHERE org_id = $1', [orgId])).map(
          ({ key, state }) => [key, state],
        ),
      );
    expect(await states()).toEqual({
      'killed-after-begin': 'held',
      'killed-before-end': 'held',
      'killed-after-end': 'settled',
    });
    expect(await app.get(LedgerService).sum(orgId, 'revenue')).toBe(-HOUR_NANO);

    // Its successor reports the ends again, as a job that is run once more does: of one the end was there, of the other
    // not.
    const paid = app.get(PaidWorkService);
    const works = await paid.find(['killed-before-end', 'killed-after-end']);
    for (const work of works) {
      const event = {
        source: 'spender',
        sourceId: work.key,
        orgId,
        meter: 'sandbox_compute' as const,
        quantity: BigInt(HOUR_MS),
        occurredAt: work.begunAt,
      };
      expect([await paid.end(work, [event]), await paid.end(work, [event])]).toEqual([
        { costNano: HOUR_NANO },
        { costNano: HOUR_NANO },
      ]);
    }
    expect(await make.sql('SELECT source_id FROM usage_events WHERE org_id = $1 ORDER BY 1', [orgId])).toEqual([
      { source_id: 'killed-after-end' },
      { source_id: 'killed-before-end' },
    ]);
    await make.sql("UPDATE holds SET expires_at = now() - interval '1 second' WHERE key = 'killed-after-begin'");
    await eventually(
      async () => {
        await app.runSchedule('credits');
        return (await states())['killed-after-begin'] === 'expired';
      },
      'what nobody heard of again is given back',
      20_000,
    );
    expect(await app.get(CreditBalanceService).of(orgId)).toMatchObject({ heldNano: 0n });
    expect(await app.get(LedgerService).sum(orgId, 'revenue')).toBe(-2n * HOUR_NANO);
    expect(await faults()).toEqual([]);
  }, 90_000);
});
