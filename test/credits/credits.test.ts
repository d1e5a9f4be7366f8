import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BilledUsageService } from '../../src/modules/credits/billed-usage.service.js';
import { CreditsExhausted, SpendCapReached } from '../../src/modules/credits/credits.errors.js';
import { GrantsService } from '../../src/modules/credits/grants/grants.service.js';
import { LedgerService } from '../../src/modules/credits/ledger.service.js';
import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import type { WorkEstimate } from '../../src/modules/credits/paid-work.js';
import type { UsageEvent } from '../../src/modules/metering/usage.service.js';
import { Database } from '../../src/platform/database/database.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';
import { faultsOf } from './support.js';

const OPS_TOKEN = 'operators-token-0123456789';
const app = useApp({ OPS_TOKEN });
const make = new Make(app);
const HOUR_MS = 3_600_000n;
/** A price of the default price list. */
const HOUR_NANO = parseUsd('0.1');

const work = (): PaidWorkService => app.get(PaidWorkService);
const compute = (orgId: string, hours: bigint, input: Partial<WorkEstimate> = {}): WorkEstimate => ({
  orgId,
  plan: 'free',
  meter: 'sandbox_compute',
  lines: [{ quantity: hours * HOUR_MS }],
  key: randomUUID(),
  ...input,
});
const used = ({ key, orgId, begunAt }: { key: string; orgId: string; begunAt: Date }, hours: bigint): UsageEvent[] => [
  {
    source: 'test',
    sourceId: key,
    orgId,
    meter: 'sandbox_compute',
    quantity: hours * HOUR_MS,
    occurredAt: begunAt,
  },
];
const credits = async (person: Person): Promise<any> =>
  expectStatus(200, await app.fetch('/api/v1/billing/credits', as(person))).body.data;
const cap = (person: Person, body: object, options = {}): Promise<Answer> =>
  send(app, ['PUT', '/api/v1/billing/spend-cap'], body, as(person, options));
const grant = (orgId: string, usd: string, more: object = {}): Promise<unknown> =>
  app.get(GrantsService).grant({
    orgId,
    amountNano: parseUsd(usd),
    priority: 10,
    expiresAt: null,
    appliesTo: null,
    reason: 'a test',
    key: randomUUID(),
    ...more,
  });
const sum = (orgId: string, account: Parameters<LedgerService['sum']>[1]): Promise<bigint> =>
  app.get(LedgerService).sum(orgId, account);

const waitingForLocks = async (): Promise<number> => {
  const rows = await app.get(Database).manager.query<{ waiting: number }[]>(
    `
      SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%credit_accounts%'`,
  );
  return rows[0]!.waiting;
};

afterEach(async () => {
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
});

describe('GET /api/v1/billing/credits', () => {
  it('returns the five dollars that each account gets once', async () => {
    const person = await make.person();
    const first = await credits(person);
    expect(first).toEqual({
      balance: '5',
      held: '0',
      grants: [{ id: expect.stringMatching(/^crg_[0-9a-z]{26}$/), amount: '5', remaining: '5', priority: 100 }],
    });
    await Promise.all(Array.from({ length: 4 }, () => credits(person)));
    expect(await credits(person)).toEqual(first);
    expect(await sum(person.organization.id, 'credits')).toBe(-parseUsd('5'));
  });

  it('grants them once under concurrent first requests', async () => {
    const person = await make.person();
    const answers = await Promise.all(Array.from({ length: 8 }, () => credits(person)));
    expect(new Set(answers.map(({ grants }) => grants[0].id)).size).toBe(1);
  });

  it('grants nothing to a second organization of the same person', async () => {
    const person = await make.person();
    const org = await make.org(person);
    const answer = await app.fetch('/api/v1/billing/credits', as(person, { headers: { 'x-service-org': org.id } }));
    expect(answer.body.data).toEqual({ balance: '0', held: '0', grants: [] });
  });

  it('returns 401 without a key, and 403 without the scope, the role or the organization', async () => {
    const [person, other] = [await make.person(), await make.person()];
    const org = await make.org(person);
    await make.member(org, other, 'member');
    expect((await app.fetch('/api/v1/billing/credits')).status).toBe(401);
    expect(
      (await app.fetch('/api/v1/billing/credits', as(await make.key(person, { scopes: ['projects:read'] })))).body.error
        .code,
    ).toBe('insufficient_scopes');
    expect(
      (await app.fetch('/api/v1/billing/credits', as(other, { headers: { 'x-service-org': org.id } }))).body.error.code,
    ).toBe('insufficient_scopes');
    expect(
      (await app.fetch('/api/v1/billing/credits', as(other, { headers: { 'x-service-org': person.organization.id } })))
        .body.error.code,
    ).toBe('org_access_denied');
  });
});

describe('holds for paid work', () => {
  it('reserve the maximum cost, and charge the actual cost', async () => {
    const person = await make.person();
    const { id: orgId } = person.organization;
    const begun = await work().begin(compute(orgId, 10n));
    expect(begun).toMatchObject({ orgId, heldNano: 10n * HOUR_NANO });
    expect(await credits(person)).toMatchObject({ balance: '5', held: '1' });
    expect(await work().end(begun, used(begun, 3n))).toEqual({ costNano: 3n * HOUR_NANO });
    expect(await credits(person)).toMatchObject({
      balance: '4.7',
      held: '0',
      grants: [{ amount: '5', remaining: '4.7' }],
    });
    expect([await sum(orgId, 'revenue'), await sum(orgId, 'credits'), await sum(orgId, 'promotion')]).toEqual([
      -3n * HOUR_NANO,
      -parseUsd('4.7'),
      parseUsd('5'),
    ]);
  });

  it('are one for usage of several prices, which is recorded as several events', async () => {
    const person = await make.person();
    const { id: orgId } = person.organization;
    const begun = await work().begin(
      compute(orgId, 0n, {
        meter: 'ai_tokens',
        lines: [
          { model: 'openai/gpt-mini:input', quantity: 1_000_000n },
          { model: 'openai/gpt-mini:output', quantity: 500_000n },
        ],
      }),
    );
    expect(begun.heldNano).toBe(parseUsd('1.25'));
    const tokens = (kind: string, quantity: bigint): UsageEvent => ({
      source: 'test',
      sourceId: `${begun.key}:${kind}`,
      orgId,
      meter: 'ai_tokens',
      model: `openai/gpt-mini:${kind}`,
      quantity,
      occurredAt: begun.begunAt,
    });
    const events = [tokens('input', 400_000n), tokens('output', 100_000n)];
    const ends = await Promise.all([work().end(begun, events), work().end(begun, events)]);
    expect(ends).toEqual([{ costNano: parseUsd('0.3') }, { costNano: parseUsd('0.3') }]);
    expect(await credits(person)).toMatchObject({ balance: '4.7', held: '0' });
    const { data } = (await app.fetch('/api/v1/billing/usage?group_by=model', as(person))).body;
    expect(data.map(({ model, cost }: any) => [model, cost]).sort()).toEqual([
      ['openai/gpt-mini:input', '0.1'],
      ['openai/gpt-mini:output', '0.2'],
    ]);
  });

  it('count towards the month in which they were asked for, although it ends while they wait', async () => {
    const person = await make.person({ plan: 'pro' });
    const { id: orgId } = person.organization;
    const now = jest.spyOn(app.get(Clock), 'now');
    try {
      now.mockReturnValue(new Date('2026-11-30T23:59:59.900Z'));
      const first = await work().begin(compute(orgId, 60n, { plan: 'pro' }));
      await work().end(first, used(first, 60n));
      const locked = Promise.withResolvers<undefined>();
      const free = Promise.withResolvers<undefined>();
      const other = app.get(Database).transaction(async () => {
        await app.get(Database).manager.query('SELECT 1 FROM credit_accounts WHERE org_id = $1 FOR UPDATE', [orgId]);
        locked.resolve(undefined);
        await free.promise;
      });
      await locked.promise;
      const second = work().begin(compute(orgId, 10n, { plan: 'pro' }));
      await eventually(async () => (await waitingForLocks()) > 0, 'it waits for the account');
      now.mockReturnValue(new Date('2026-12-01T00:00:00.100Z'));
      free.resolve(undefined);
      await other;
      const begun = await second;
      await work().end(begun, used(begun, 10n));
    } finally {
      now.mockRestore();
    }
    // Credits paid $5 of the first; the check after each test compares the sums of the month.
    const months = await app
      .get(Database)
      .manager.query('SELECT month::text, posted_nano FROM billed_months WHERE org_id = $1', [orgId]);
    expect(months).toEqual([{ month: '2026-11-01', posted_nano: String(20n * HOUR_NANO) }]);
  });

  it('start and settle once for repeated calls', async () => {
    const person = await make.person();
    const input = compute(person.organization.id, 10n);
    const [begun] = await Promise.all([work().begin(input), work().begin(input), work().begin(input)]);
    const ends = await Promise.all(Array.from({ length: 5 }, () => work().end(begun, used(begun, 2n))));
    await work().abandon(begun);
    await work().begin(input);
    expect(ends).toEqual(Array.from({ length: 5 }, () => ({ costNano: 2n * HOUR_NANO })));
    expect(await credits(person)).toMatchObject({ balance: '4.8', held: '0' });
  });

  it('are released in full when work is abandoned, and the platform pays for its usage', async () => {
    const person = await make.person();
    const begun = await work().begin(compute(person.organization.id, 50n));
    await work().abandon(begun);
    expect(await credits(person)).toMatchObject({ balance: '5', held: '0' });
    expect(await work().end(begun, used(begun, 2n))).toEqual({ costNano: 2n * HOUR_NANO });
    expect(await credits(person)).toMatchObject({ balance: '5' });
    expect(await sum(person.organization.id, 'platform_loss')).toBe(2n * HOUR_NANO);
  });

  it('never charge more than the hold, and count the difference as a loss', async () => {
    const person = await make.person();
    const begun = await work().begin(compute(person.organization.id, 1n));
    await work().end(begun, used(begun, 3n));
    expect(await credits(person)).toMatchObject({ balance: '4.9' });
    expect(await sum(person.organization.id, 'platform_loss')).toBe(2n * HOUR_NANO);
    expect((await app.fetch('/metrics')).text).toMatch(/credits_platform_loss_usd_total 0\.[2-9]/);
  });

  it('return 402 when credits are insufficient or held', async () => {
    const person = await make.person();
    const { id: orgId } = person.organization;
    await expect(work().begin(compute(orgId, 51n))).rejects.toMatchObject({
      code: 'credits_exhausted',
      status: 402,
      help: { upgradeUrl: 'http://api.test/pricing', details: { required: '5.1', available: '5' } },
    });
    const begun = await work().begin(compute(orgId, 50n));
    await expect(work().begin(compute(orgId, 1n))).rejects.toBeInstanceOf(CreditsExhausted);
    await work().end(begun, used(begun, 50n));
    expect(await credits(person)).toEqual({ balance: '0', held: '0', grants: [] });
    await expect(work().begin(compute(orgId, 1n))).rejects.toMatchObject({
      help: { details: { required: '0.1', available: '0' } },
    });
  });

  it('join the transaction of the caller', async () => {
    const person = await make.person();
    const input = compute(person.organization.id, 10n);
    const database = app.get(Database);
    await expect(
      database.transaction(async () => {
        await work().begin(input);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await credits(person)).toMatchObject({ held: '0' });
    const begun = await work().begin(input);
    await expect(
      database.transaction(async () => {
        await work().end(begun, used(begun, 1n));
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await credits(person)).toMatchObject({ balance: '5', held: '1' });
    await database.transaction(() => work().end(begun, used(begun, 1n)));
    expect(await credits(person)).toMatchObject({ balance: '4.9', held: '0' });
  });

  it('fail alone when one of a batch cannot be written', async () => {
    const [person, nobody] = [await make.person(), 'org_00000000000000000000000000'];
    const inputs = [compute(person.organization.id, 1n), compute(nobody, 1n), compute(person.organization.id, 1n)];
    const results = await Promise.allSettled(inputs.map((input) => work().begin(input)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('are released when no completion was reported', async () => {
    const person = await make.person();
    const begun = await work().begin(compute(person.organization.id, 10n, { withinMs: 1 }));
    await eventually(async () => {
      await app.runSchedule('credits');
      return (await credits(person)).held === '0';
    }, 'the hold is over');
    expect(await credits(person)).toMatchObject({ balance: '5' });
    expect(await work().end(begun, used(begun, 1n))).toEqual({ costNano: HOUR_NANO });
    expect(await credits(person)).toMatchObject({ balance: '5' });
  });
});

describe('credit grants', () => {
  it('are created once per key, and return 409 for another amount', async () => {
    const {
      organization: { id },
    } = await make.person();
    const key = randomUUID();
    const given = await Promise.all([1, 2, 3].map(() => grant(id, '2', { key })));
    expect(given.filter((each) => (each as { isNew: boolean }).isNew)).toHaveLength(1);
    await expect(grant(id, '3', { key })).rejects.toThrow('was used for another grant');
    expect(await sum(id, 'credits')).toBe(-parseUsd('7'));
  });

  it('expire with a ledger entry, except for what is held', async () => {
    const person = await make.person();
    const { id } = person.organization;
    await credits(person);
    await grant(id, '2', { expiresAt: new Date(Date.now() + 1_500) });
    const begun = await work().begin(compute(id, 10n));
    await eventually(async () => (await credits(person)).balance === '6', 'the rest of the grant is over', 10_000);
    await app.runSchedule('credits');
    expect([await sum(id, 'credits'), await sum(id, 'promotion')]).toEqual([-parseUsd('6'), parseUsd('6')]);
    await work().end(begun, used(begun, 4n));
    await app.runSchedule('credits');
    expect(await credits(person)).toMatchObject({ balance: '5', held: '0' });
  });

  it('are refunded once per key, up to what was paid', async () => {
    const person = await make.person();
    const { id: orgId } = person.organization;
    await grant(orgId, '1');
    const begun = await work().begin(compute(orgId, 30n));
    await work().end(begun, used(begun, 30n));
    expect((await credits(person)).grants).toMatchObject([{ remaining: '3' }]);
    const refund = (amount: string, key: string): Promise<bigint> =>
      app.get(GrantsService).refund({ orgId, workKey: begun.key, amountNano: parseUsd(amount), key });
    const key = randomUUID();
    expect([await refund('2.5', key), await refund('2.5', key)]).toEqual([parseUsd('2.5'), parseUsd('2.5')]);
    expect((await credits(person)).grants).toMatchObject([
      { amount: '1', remaining: '0.5' },
      { amount: '5', remaining: '5' },
    ]);
    expect(await refund('9', randomUUID())).toBe(parseUsd('0.5'));
    expect(await credits(person)).toMatchObject({ balance: '6' });
    expect(await app.get(BilledUsageService).of(orgId, begun.begunAt, new Date(begun.begunAt.getTime() + 1))).toEqual({
      costNano: parseUsd('3'),
      fromCreditsNano: 0n,
      billedNano: 0n,
      lostNano: 0n,
      refundedNano: parseUsd('3'),
    });
  });
});

describe('the spend cap', () => {
  it('is none by default, and is returned with the billed amount', async () => {
    const person = await make.person({ plan: 'builder' });
    const month = new Date().toISOString().slice(0, 7);
    expect((await app.fetch('/api/v1/billing/spend-cap', as(person))).body.data).toEqual({
      amount: null,
      billed: '0',
      month,
    });
    expect((await cap(person, { amount: '10.50' })).body.data).toEqual({ amount: '10.5', billed: '0', month });
    expect((await cap(person, { amount: '20' }, { headers: { 'dry-run': 'true' } })).status).toBe(200);
    expect((await app.fetch('/api/v1/billing/spend-cap', as(person))).body.data).toMatchObject({ amount: '10.5' });
    expect((await cap(person, { amount: null })).body.data).toMatchObject({ amount: null });
  });

  it.each([
    [{}],
    [{ amount: 10 }],
    [{ amount: '-1' }],
    [{ amount: '1e3' }],
    [{ amount: '0.0000000001' }],
    [{ amount: '10', other: 1 }],
  ])('returns 400 for %j', async (body) => {
    const person = await make.person();
    expect((await cap(person, body)).body.error).toMatchObject({ code: 'invalid_request' });
  });

  it('requires billing:write, and is written to the audit log', async () => {
    const [person, viewer] = [await make.person({ plan: 'pro' }), await make.person()];
    const org = await make.org(person);
    await make.member(org, viewer, 'admin');
    expect((await cap(viewer, { amount: '1' }, { headers: { 'x-service-org': person.organization.id } })).status).toBe(
      403,
    );
    expect((await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount: '1' })).status).toBe(401);
    expect((await cap(person, { amount: '1' })).status).toBe(200);
    const log = await app.fetch(`/api/v1/orgs/${person.organization.id}/audit-log`, as(person));
    expect(log.body.data[0]).toMatchObject({ action: 'spend_cap.set', details: { before: null, after: '1' } });
  });

  it('returns 402 above the cap', async () => {
    const person = await make.person({ plan: 'builder' });
    const { id: orgId } = person.organization;
    await cap(person, { amount: '1' });
    const begun = await work().begin(compute(orgId, 55n, { plan: 'builder' }));
    await expect(work().begin(compute(orgId, 6n, { plan: 'builder' }))).rejects.toBeInstanceOf(SpendCapReached);
    await expect(work().begin(compute(orgId, 6n, { plan: 'builder' }))).rejects.toMatchObject({
      status: 402,
      help: {
        details: { required: '0.6', available: '0.5', spend_cap: '1' },
        upgradeUrl: 'http://api.test/pricing',
      },
    });
    await work().end(begun, used(begun, 54n));
    expect(await sum(orgId, 'usage_receivable')).toBe(parseUsd('0.4'));
    const from = new Date(begun.begunAt.getTime() - 1_000);
    const to = new Date(begun.begunAt.getTime() + 1);
    expect(await app.get(BilledUsageService).of(orgId, from, to)).toEqual({
      costNano: parseUsd('5.4'),
      fromCreditsNano: parseUsd('5'),
      billedNano: parseUsd('0.4'),
      lostNano: 0n,
      refundedNano: 0n,
    });
    expect(await app.get(BilledUsageService).of(orgId, to, new Date(to.getTime() + 1_000))).toMatchObject({
      costNano: 0n,
    });
    expect((await app.fetch('/api/v1/billing/spend-cap', as(person))).body.data).toMatchObject({ billed: '0.4' });
  });

  it('notifies every owner at 50, 80 and 100 per cent, once a month', async () => {
    const [person, second] = [await make.person(), await make.person()];
    const org = await make.org(person, { plan: 'pro' });
    await make.member(org, second, 'owner');
    const inOrg = as(person, { headers: { 'x-service-org': org.id } });
    expectStatus(200, await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount: '1' }, inOrg));
    const spend = async (hours: bigint): Promise<void> => {
      const begun = await work().begin(compute(org.id, hours, { plan: 'pro' }));
      await work().end(begun, used(begun, hours));
    };
    const mails = (): string[] => {
      const folder = join(app.dataDirectory, 'mail');
      const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
      return texts
        .filter((text) => text.includes('spend cap of Acme'))
        .map((text) => `${/^To: (.*)$/m.exec(text)![1]!} ${/(\d+) %/.exec(text)![1]!}`)
        .sort();
    };
    const of = (...levels: number[]): string[] =>
      [person, second].flatMap(({ user }) => levels.map((level) => `${user.email} ${level}`)).sort();
    await spend(4n);
    await spend(2n);
    await eventually(() => mails().length >= 2, 'both owners are notified', 20_000);
    expect(mails()).toEqual(of(50));
    await spend(4n);
    // A smaller cap is exceeded at once. A larger one is reached again, but the owners were notified before.
    expectStatus(200, await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount: '0.5' }, inOrg));
    expectStatus(200, await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount: '2' }, inOrg));
    await spend(5n);
    await eventually(() => mails().length >= 6, 'both owners are notified of the rest', 20_000);
    expect(mails()).toEqual(of(50, 80, 100));
    expect(await make.sql('SELECT level FROM spend_warnings WHERE org_id = $1 ORDER BY level', [org.id])).toEqual([
      { level: 50 },
      { level: 80 },
      { level: 100 },
    ]);
  });
});

describe('POST /ops/billing/credits', () => {
  const PATH = '/ops/billing/credits';
  const asOperator = { headers: { authorization: `Bearer ${OPS_TOKEN}` } };

  it('grants credits once per key, and writes to the audit log', async () => {
    const person = await make.person();
    const orgId = person.organization.id;
    const body = {
      orgId,
      amountUsd: '25.5',
      reason: 'An apology',
      key: 'ticket-1',
      expiresAt: '2099-01-01T00:00:00Z',
      appliesTo: ['sandbox_compute'],
    };
    expect(expectStatus(200, await app.post(PATH, body, asOperator)).body).toEqual({
      id: expect.stringMatching(/^crg_/),
      orgId,
      amountUsd: '25.5',
      remainingUsd: '25.5',
      created: true,
    });
    expect((await app.post(PATH, body, asOperator)).body).toMatchObject({ created: false });
    expect((await credits(person)).grants).toMatchObject([
      { amount: '25.5', priority: 50, expires_at: '2099-01-01T00:00:00.000Z', applies_to: ['sandbox_compute'] },
      { amount: '5' },
    ]);
    expect((await app.post(PATH, { ...body, amountUsd: '26' }, asOperator)).body.error).toMatchObject({
      code: 'already_exists',
    });
    const log = await app.fetch(`/api/v1/orgs/${orgId}/audit-log`, as(person));
    expect(log.body.data[0]).toMatchObject({
      action: 'credits.granted',
      details: { amount: '25.5', reason: 'An apology' },
    });
  });

  it('returns 401 without the token, 404 for an unknown organization, and 400 for an invalid grant', async () => {
    const {
      organization: { id: orgId },
    } = await make.person();
    const body = { orgId, amountUsd: '1', reason: 'why', key: 'k' };
    expect((await app.post(PATH, body)).body.error).toMatchObject({ code: 'invalid_token' });
    expect(
      (await app.post(PATH, { ...body, orgId: 'org_00000000000000000000000000' }, asOperator)).body.error,
    ).toMatchObject({ code: 'organization_not_found' });
    for (const change of [
      { amountUsd: '0' },
      { amountUsd: 1 },
      { key: 'a b' },
      { reason: '' },
      { priority: -1 },
      { appliesTo: ['x'] },
      { appliesTo: [] },
      { expiresAt: 'soon' },
    ]) {
      expect((await app.post(PATH, { ...body, ...change }, asOperator)).body.error).toMatchObject({
        code: 'invalid_request',
      });
    }
  });
});
