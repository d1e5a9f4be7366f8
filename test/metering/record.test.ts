import { randomUUID } from 'node:crypto';
import { UsagePeriodsService } from '../../src/modules/metering/usage-periods.service.js';
import { UsageTotalsService } from '../../src/modules/metering/usage-totals.service.js';
import { type UsageEvent, UsageService } from '../../src/modules/metering/usage.service.js';
import { Database } from '../../src/platform/database/database.js';
import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const HOUR_MS = 3_600_000;

describe('recording usage', () => {
  const app = useApp();
  const make = new Make(app);
  let orgId: string;

  beforeEach(async () => {
    orgId = (await make.person()).organization.id;
  });

  const event = (request: Partial<UsageEvent> = {}): UsageEvent => ({
    source: 'test',
    sourceId: randomUUID(),
    orgId,
    meter: 'sandbox_compute',
    quantity: 1_000n,
    occurredAt: new Date(),
    ...request,
  });
  const record = (...events: UsageEvent[]) => app.get(UsageService).record(events);
  const thisMonth = (): [Date, Date] => {
    const now = new Date();
    return [
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
    ];
  };
  const totals = (from = thisMonth()[0], to = thisMonth()[1]) => app.get(UsageTotalsService).totals(orgId, from, to);
  const monthAgo = (): Date => new Date(thisMonth()[0].getTime() - 36 * HOUR_MS);

  it('counts each event once, and returns the recorded cost for duplicates', async () => {
    const [one, other] = [event(), event({ quantity: 2_500n })];
    const first = await record(one, other);
    // $0.10 an hour is 27,777.7… nano-dollars a second: rounding is carried from one to the next, in the order of their
    // ids.
    expect(first.map(({ isNew }) => isNew)).toEqual([true, true]);
    expect(first[0]!.costNano + first[1]!.costNano).toBe((3_500n * 100_000_000n) / 3_600_000n);
    expect(await record(other, one, one)).toEqual([
      { ...first[1], isNew: false },
      { ...first[0], isNew: false },
      { ...first[0], isNew: false },
    ]);
    expect(await totals()).toEqual([
      expect.objectContaining({
        meter: 'sandbox_compute',
        model: null,
        priceVersionId: 'sandbox-compute-1',
        quantity: 3_500n,
        unit: 'ms',
        costNano: 97_222n,
        events: 2,
        isLate: false,
      }),
    ]);
  });

  it('identifies an event by source, name and time', async () => {
    const known = event();
    await record(known);
    expect(await record({ ...known, quantity: 9_999n, meter: 'database_storage' })).toEqual([
      expect.objectContaining({ isNew: false }),
    ]);
    expect(await record({ ...known, source: 'other' })).toEqual([expect.objectContaining({ isNew: true })]);
    expect((await totals()).map(({ events }) => events)).toEqual([2]);
  });

  it('counts nothing when the transaction rolls back, and can be repeated', async () => {
    const known = event();
    await expect(
      app.get(Database).transaction(async () => {
        await record(known);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    expect(await totals()).toEqual([]);
    expect(await record(known)).toEqual([expect.objectContaining({ isNew: true })]);
  });

  it('bills events of a closed month as an adjustment of the current one, at the price of their time', async () => {
    await record(event({ meter: 'database_storage', occurredAt: monthAgo(), quantity: 10n ** 12n }));
    expect(await app.get(UsagePeriodsService).close([orgId], monthAgo())).toEqual([orgId]);
    expect(await app.get(UsagePeriodsService).close([orgId], monthAgo())).toEqual([]);
    const before = await totals(new Date(monthAgo().getTime() - 40 * 24 * HOUR_MS), thisMonth()[0]);

    const late = [
      event({ meter: 'database_storage', occurredAt: monthAgo(), quantity: 10n ** 12n }),
      event({ occurredAt: monthAgo() }),
    ];
    await record(...late);
    expect(await totals(new Date(monthAgo().getTime() - 40 * 24 * HOUR_MS), thisMonth()[0])).toEqual(before);
    const adjustments = await totals();
    expect(adjustments.map(({ meter, isLate, costNano }) => [meter, isLate, costNano])).toEqual([
      // A month of the days that it was used in, so that it costs what it had cost in time.
      ['database_storage', true, before[0]!.costNano],
      ['sandbox_compute', true, 27_777n],
    ]);
    expect((await record(...late)).map(({ isNew }) => isNew)).toEqual([false, false]);
    expect(await totals()).toEqual(adjustments);
    expect((await app.get(UsageTotalsService).recomputeFromEvents([orgId], new Date())).get(orgId)).toEqual(
      adjustments,
    );
    expect((await app.get(UsageTotalsService).recomputeFromEvents([orgId], monthAgo())).get(orgId)).toEqual(before);
  });

  it('does not close a month that is not over', async () => {
    await expect(app.get(UsagePeriodsService).close([orgId], new Date())).rejects.toThrow('is not over');
  });

  it('records nothing without a price', async () => {
    await expect(record(event(), event({ meter: 'ai_tokens', model: 'nobody/knows:input' }))).rejects.toThrow(
      'No price for ai_tokens of nobody/knows:input',
    );
    await expect(record(event({ occurredAt: new Date('2020-01-01') }))).rejects.toThrow('No price for');
    await expect(record(event({ meter: 'ai_tokens' }))).rejects.toThrow('has the invalid model');
    await expect(record(event({ quantity: -1n }))).rejects.toThrow('has the invalid quantity');
    expect(await totals()).toEqual([]);
  });

  it('keeps usage at the price that was in force', async () => {
    await expect(make.sql("UPDATE price_versions SET price_nano = 1 WHERE id = 'sandbox-compute-1'")).rejects.toThrow(
      'never change',
    );
  });
});
