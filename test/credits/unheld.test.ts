import { randomUUID } from 'node:crypto';
import { LedgerService } from '../../src/modules/credits/ledger.service.js';
import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import { UnheldUsageService } from '../../src/modules/credits/unheld-usage.service.js';
import { UnpaidUsageService } from '../../src/modules/metering/unpaid-usage.service.js';
import { Database } from '../../src/platform/database/database.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { useApp } from '../support/test-app.js';
import { faultsOf } from './support.js';

const USAGE_TOKEN = 'usage-token-0123456789';
/** In the default price list, an hour of the sandbox costs a tenth of a dollar. */
const HOURS_OF_A_DOLLAR = 10;
const HOUR_MS = 3_600_000;

describe('usage without a hold', () => {
  // Without a worker nothing is paid for but by the tests.
  const app = useApp({ USAGE_TOKEN }, 'api');
  const make = new Make(app);

  afterEach(async () => {
    expect(await faultsOf(app.get(Database).manager)).toEqual([]);
  });

  const report = async (person: Person, usd: number, more: object = {}): Promise<object> => {
    const event = {
      source: 'test',
      id: randomUUID(),
      org_id: person.organization.id,
      meter: 'sandbox_compute',
      quantity: String(usd * HOURS_OF_A_DOLLAR * HOUR_MS),
      occurred_at: new Date().toISOString(),
      ...more,
    };
    const { data } = expectStatus(
      200,
      await send(app, ['POST', '/api/v1/billing/events'], { events: [event] }, as(USAGE_TOKEN)),
    ).body;
    expect([data.accepted + data.duplicates, data.rejected]).toEqual([1, []]);
    return event;
  };
  const pay = (): Promise<void> => app.get(UnheldUsageService).payAll();
  const credits = async (person: Person): Promise<any> =>
    expectStatus(200, await app.fetch('/api/v1/billing/credits', as(person))).body.data;
  const sum = (person: Person, account: Parameters<LedgerService['sum']>[1]): Promise<bigint> =>
    app.get(LedgerService).sum(person.organization.id, account);

  it('is paid with credits, once however often it is reported', async () => {
    const person = await make.person();
    const event = await report(person, 2);
    await pay();
    expect(await credits(person)).toMatchObject({ balance: '3', held: '0' });
    await report(person, 2, event);
    await pay();
    expect(await credits(person)).toMatchObject({ balance: '3' });
  });

  it('is paid across meters with the grants that apply', async () => {
    const person = await make.person();
    await report(person, 1);
    await report(person, 0, { meter: 'ai_tokens', model: 'anthropic/claude-sonnet:output', quantity: '100000' });
    await pay();
    // A hundred thousand tokens at 15 dollars a million.
    expect(await credits(person)).toMatchObject({ balance: '2.5' });
  });

  it('leaves nothing for further work when credits run out, and is not billed on Free', async () => {
    const person = await make.person();
    await report(person, 7);
    await pay();
    expect(await credits(person)).toMatchObject({ balance: '0', held: '0' });
    expect([await sum(person, 'platform_loss'), await sum(person, 'usage_receivable')]).toEqual([parseUsd('2'), 0n]);
    const begun = app.get(PaidWorkService).begin({
      orgId: person.organization.id,
      plan: 'free',
      meter: 'sandbox_compute',
      lines: [{ quantity: 1_000n }],
      key: randomUUID(),
    });
    await expect(begun).rejects.toMatchObject({ code: 'credits_exhausted' });
  });

  it('does not use credits that are held for running work', async () => {
    const person = await make.person();
    const work = await app.get(PaidWorkService).begin({
      orgId: person.organization.id,
      plan: 'free',
      meter: 'sandbox_compute',
      lines: [{ quantity: BigInt(40 * HOUR_MS) }],
      key: randomUUID(),
    });
    await report(person, 3);
    await pay();
    expect(await credits(person)).toMatchObject({ balance: '4', held: '4' });
    await app.get(PaidWorkService).abandon(work);
  });

  it('is billed beyond the credits on plans that bill usage, up to the spend cap', async () => {
    const person = await make.person({ plan: 'builder' });
    expectStatus(200, await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount: '10' }, as(person)));
    await report(person, 8);
    await pay();
    expect([await sum(person, 'usage_receivable'), await sum(person, 'platform_loss')]).toEqual([parseUsd('3'), 0n]);
    await report(person, 9);
    await pay();
    expect([await sum(person, 'usage_receivable'), await sum(person, 'platform_loss')]).toEqual([
      parseUsd('10'),
      parseUsd('2'),
    ]);
  });

  it('is paid once by concurrent workers', async () => {
    const other = await app.another({ role: 'worker' });
    try {
      const people = await Promise.all(Array.from({ length: 5 }, () => make.person()));
      for (const person of people) await report(person, 1);
      await Promise.all([pay(), other.get(UnheldUsageService).payAll(), pay(), other.runSchedule('credits')]);
      for (const person of people) expect(await credits(person)).toMatchObject({ balance: '4' });
      expect(await app.get(UnpaidUsageService).organizations('', 10)).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});
