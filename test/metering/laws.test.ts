import * as fc from 'fast-check';
import { UsageReconciler } from '../../src/modules/metering/reconciliation/usage-reconciler.js';
import { UsagePeriodsService } from '../../src/modules/metering/usage-periods.service.js';
import { type UsageTotal, UsageTotalsService } from '../../src/modules/metering/usage-totals.service.js';
import { type UsageEvent, UsageService } from '../../src/modules/metering/usage.service.js';
import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const NOW = new Date();
const monthStart = (offset: number): Date => new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() + offset, 1));
const RUNS = { numRuns: 10 };
/** The counter keeps the runs apart. */
let made = 0;

/** Times in the current month and the two before. */
const time = fc.integer({ min: monthStart(-2).getTime(), max: NOW.getTime() }).map((ms) => new Date(ms));
const kind = fc.constantFrom(
  { meter: 'sandbox_compute' },
  { meter: 'database_storage' },
  { meter: 'object_storage' },
  { meter: 'ai_tokens', model: 'openai/gpt-mini:input' },
  { meter: 'ai_tokens', model: 'openai/gpt-mini:output' },
) as fc.Arbitrary<Pick<UsageEvent, 'meter' | 'model'>>;
/** Mostly small: there rounding would show. */
const quantity = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 50n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 15n }) },
);
const facts = fc.record({ kind, quantity, at: time, project: fc.option(fc.constantFrom('prj_one', 'prj_two')) });
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

describe('metering invariants', () => {
  const app = useApp();
  const make = new Make(app);
  const record = (events: readonly UsageEvent[]) => app.get(UsageService).record(events);
  const totals = (orgId: string, from = monthStart(-2), to = monthStart(1)) =>
    app.get(UsageTotalsService).totals(orgId, from, to);

  async function newOrg(): Promise<string> {
    const id = `org_${String(++made).padStart(26, '0')}`;
    await make.sql(
      `INSERT INTO organizations (id, slug, name, plan, created_at, updated_at)
        VALUES ($1, $2, 'Acme', 'pro', now(), now())`,
      [id, `laws-${made}`],
    );
    return id;
  }

  const eventsOf = (orgId: string, list: readonly Facts[]): UsageEvent[] =>
    list.map(({ kind: { meter, model }, quantity: many, at, project }, index) => ({
      source: 'laws',
      sourceId: `${orgId} ${index}`,
      orgId,
      projectId: project,
      meter,
      model: model ?? null,
      quantity: many,
      occurredAt: at,
    }));
  const sumOf = (list: readonly UsageTotal[], what: 'quantity' | 'costNano'): bigint =>
    list.reduce((sum, total) => sum + total[what], 0n);
  const chunksOf = <T>(list: readonly T[], size: number): T[][] =>
    Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
  /** Without what is of one organization alone. */
  const comparable = (list: readonly UsageTotal[]) =>
    list.map((total) => ({ ...total, month: total.month.toISOString(), usedIn: total.usedIn.toISOString() }));

  it('law 3: events, hours, months and lines agree under concurrent recording and closing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        async (list, size) => {
          const orgId = await newOrg();
          const chunks = chunksOf(eventsOf(orgId, list), size);
          const recorded = (
            await Promise.all([
              ...chunks.slice(0, -1).map(record),
              app
                .get(UsagePeriodsService)
                .close([orgId], monthStart(-1))
                .then(() => []),
              ...chunks.slice(-1).map(record),
            ])
          ).flat();

          const lines = await totals(orgId);
          expect(sumOf(lines, 'quantity')).toBe(list.reduce((sum, { quantity: many }) => sum + many, 0n));
          expect(sumOf(lines, 'costNano')).toBe(recorded.reduce((sum, { costNano }) => sum + costNano, 0n));
          for (const offset of [-2, -1, 0]) {
            const ofMonth = await totals(orgId, monthStart(offset), monthStart(offset + 1));
            expect(
              (await app.get(UsageTotalsService).recomputeFromEvents([orgId], monthStart(offset))).get(orgId),
            ).toEqual(ofMonth);
          }
        },
      ),
      RUNS,
    );
    expect(await app.get(UsageReconciler).reconcile()).toBe(0);
  });

  it('law 4: duplicate, split and reordered events have the same result', async () => {
    const shuffled = fc
      .array(facts, { minLength: 1, maxLength: 40 })
      .chain((list) =>
        fc.tuple(
          fc.constant(list),
          fc.shuffledSubarray([...list.keys(), ...list.keys()], { minLength: list.length * 2 }),
          fc.integer({ min: 1, max: 15 }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(shuffled, async ([list, order, size]) => {
        const [orderly, wild] = [await newOrg(), await newOrg()];
        await record(eventsOf(orderly, list));
        const events = eventsOf(wild, list);
        const results = (
          await Promise.all(
            chunksOf(
              order.map((index) => events[index]!),
              size,
            ).map(record),
          )
        ).flat();
        expect(results.filter(({ isNew }) => isNew)).toHaveLength(list.length);
        const before = await totals(wild);
        expect(comparable(before)).toEqual(comparable(await totals(orderly)));
        expect((await record(events)).every(({ isNew }) => !isNew)).toBe(true);
        expect(await totals(wild)).toEqual(before);
      }),
      RUNS,
    );
  });

  it('law 7: the parts of a split period sum to the whole', async () => {
    const orgId = await newOrg();
    await record(eventsOf(orgId, fc.sample(facts, 300)));
    const whole = await totals(orgId);
    const keyOf = ({ meter, model, priceVersionId, month }: UsageTotal): string =>
      [meter, model, priceVersionId, month.toISOString()].join(' ');
    const byKey = (lists: readonly (readonly UsageTotal[])[]): Record<string, [bigint, bigint]> => {
      const sums: Record<string, [bigint, bigint]> = {};
      for (const total of lists.flat()) {
        const [many, cost] = sums[keyOf(total)] ?? [0n, 0n];
        sums[keyOf(total)] = [many + total.quantity, cost + total.costNano];
      }
      return sums;
    };
    const hour = time.map((at) => new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(time, hour), { minLength: 1, maxLength: 6 }), async (splits) => {
        const bounds = [monthStart(-2), ...splits.sort((one, other) => one.getTime() - other.getTime()), monthStart(1)];
        const parts = await Promise.all(bounds.slice(1).map((to, index) => totals(orgId, bounds[index], to)));
        expect(byKey(parts)).toEqual(byKey([whole]));
      }),
      { numRuns: 25 },
    );
  });

  it('a month is off by less than a nano-dollar per price, not per event', async () => {
    const orgId = await newOrg();
    await record(
      Array.from({ length: 1_000 }, (_, index) => ({
        source: 'laws',
        sourceId: `small ${index}`,
        orgId,
        meter: 'object_storage' as const,
        quantity: 1n,
        occurredAt: NOW,
      })),
    );
    const [total] = await totals(orgId);
    const hours = (monthStart(1).getTime() - monthStart(0).getTime()) / 3_600_000;
    expect(total!.costNano).toBe((1_000n * 25_000_000n) / (1_000_000_000n * BigInt(hours)));
  });
});
