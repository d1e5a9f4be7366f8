import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { FakeStripe, type StripeEvent } from '../support/fake-stripe.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';
import { Months } from './months.js';

const OPS = 'an-ops-token-for-the-tests';
const WITHIN_MS = 20_000;

const stripe = new FakeStripe();
let app: TestApp;
let make: Make;
let months: Months;
let ada: Person;
let key: string;

beforeAll(async () => {
  await stripe.start();
  app = new TestApp({ OPS_TOKEN: OPS, ...stripe.settings }, 'all');
  await app.start();
  make = new Make(app);
  months = new Months(app, make);
});
afterAll(async () => {
  const leak = app.log().find((line) =>
    Object.values(stripe.settings)
      .slice(0, 2)
      .some((secret) => JSON.stringify(line).includes(secret)),
  );
  await app.stop();
  await stripe.stop();
  expect(leak).toBeUndefined();
});
beforeEach(async () => {
  await months.begin();
  ada = await make.person();
  key = await make.key(ada);
});

const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];
const choose = (plan: string): Promise<Answer> => app.post('/api/v1/billing/subscription', { plan }, as(key));
const checkout = async (plan: string): Promise<string> =>
  expectStatus(201, await app.post('/api/v1/billing/checkout', { plan }, as(key))).body.data.url as string;
const subscription = async (): Promise<any> => (await app.fetch('/api/v1/billing/subscription', as(key))).body.data;
const pendingEvents = async (): Promise<number> =>
  Number(
    (await make.sql<{ count: string }>('SELECT count(*) FROM webhook_inbox WHERE processed_at IS NULL'))[0]!.count,
  );
const operate = (id: string, what: string, body: object): Promise<Answer> =>
  app.post(`/ops/billing/invoices/${id}/${what}`, body, { headers: { authorization: `Bearer ${OPS}` } });

async function tell(...events: StripeEvent[]): Promise<void> {
  for (const event of events) expectStatus(200, await stripe.deliver(app, event));
  await eventually(async () => (await pendingEvents()) === 0, 'all events are processed', WITHIN_MS);
}
const subscribe = async (plan: string): Promise<string> => {
  const { id } = stripe.completeCheckout(await checkout(plan));
  await tell(...stripe.events.splice(0));
  return id;
};
/** Our invoice of a month on Builder, and Stripe's copy of it. */
async function billed(): Promise<{ ours: any; theirs: any }> {
  await subscribe('builder');
  months.at(1_000_000);
  await months.use(ada.organization.id, { meter: 'sandbox_compute', quantity: 123_456_789n });
  await months.close();
  const ours = (await months.invoicesOf(key))[0];
  const copy = (): any => stripe.all('invoice').find(({ metadata }) => metadata.invoice_id === ours.id);
  await eventually(() => copy()?.status === 'open', 'Stripe has the invoice', WITHIN_MS);
  return { ours, theirs: copy() };
}

describe('a subscription paid through Stripe', () => {
  it('requires a payment method, and starts once it is set', async () => {
    const refused = await choose('builder');
    expect(codeOf(refused)).toEqual([409, 'payment_method_required']);
    const url = await checkout('builder');
    expect(url).toMatch(/^https:\/\/stripe\.test\/pay\/cs_/);
    expect(await subscription()).toMatchObject({ plan: 'free' });
    stripe.completeCheckout(url);
    await tell(...stripe.events.splice(0));
    expect(await subscription()).toMatchObject({ plan: 'builder', price_usd_per_month: '49' });
    expect((await app.fetch('/api/v1/me', as(key))).headers.get('x-service-tier')).toBe('builder');
    // From now on plans are chosen without another visit.
    expect((await choose('pro')).body.data).toMatchObject({ plan: 'pro' });
    expect((await app.post('/api/v1/billing/portal', {}, as(key))).body.data.url).toMatch(
      /^https:\/\/stripe\.test\/portal\/cus_/,
    );
    // One customer, however often.
    await checkout('pro');
    expect(
      new Set(
        stripe.requests
          .filter(
            ({ path, fields }) =>
              path === '/v1/checkout/sessions' && fields['client_reference_id'] === ada.organization.id,
          )
          .map(({ fields }) => fields['customer']),
      ).size,
    ).toBe(1);
  });

  it('ends with the period when it is cancelled at Stripe', async () => {
    const id = await subscribe('builder');
    stripe.endSubscription(id);
    await tell(...stripe.events.splice(0));
    expect(await subscription()).toMatchObject({
      plan: 'builder',
      planned_change: { plan: 'free', at: months.period.to.toISOString() },
    });
    expect(codeOf(await choose('pro'))).toEqual([409, 'payment_method_required']);
    // The plan continues with another payment method until then.
    await subscribe('builder');
    expect(await subscription()).not.toHaveProperty('planned_change');
    expect((await choose('pro')).status).toBe(200);
  });

  it('ends in the same state for events in any order and repeated events', async () => {
    const first = await checkout('builder');
    const second = await checkout('pro');
    const ended = stripe.completeCheckout(first).id;
    stripe.completeCheckout(second);
    stripe.endSubscription(ended);
    const events = stripe.events.splice(0);
    expect(events).toHaveLength(5);
    const delivered = [4, 3, 0, 2, 1, 3, 4, 1].map((index) => events[index]!);
    const outcomes = [];
    for (const event of delivered) outcomes.push((await stripe.deliver(app, event)).body.data.outcome);
    expect(outcomes).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'accepted',
      'accepted',
      'repeated',
      'repeated',
      'repeated',
    ]);
    await eventually(async () => (await pendingEvents()) === 0, 'all events are processed', WITHIN_MS);
    expect(await subscription()).toMatchObject({ plan: 'pro' });
    expect(await subscription()).not.toHaveProperty('planned_change');
    expect(await make.sql('SELECT ready FROM payment_customers WHERE org_id = $1', [ada.organization.id])).toEqual([
      { ready: true },
    ]);
  });

  it('is refused for contract plans and without permission, and unchanged in a dry run', async () => {
    expect(codeOf(await app.post('/api/v1/billing/checkout', { plan: 'enterprise' }, as(key)))).toEqual([
      409,
      'plan_by_contract',
    ]);
    for (const plan of ['free', 'gold', undefined])
      expect(codeOf(await app.post('/api/v1/billing/checkout', { plan }, as(key)))).toEqual([400, 'invalid_request']);
    const asked = stripe.requests.length;
    const reader = await make.key(await make.person(), { scopes: ['billing:read'] });
    for (const path of ['/api/v1/billing/checkout', '/api/v1/billing/portal']) {
      expect(codeOf(await app.post(path, { plan: 'pro' }))).toEqual([401, 'missing_api_key']);
      expect(codeOf(await app.post(path, { plan: 'pro' }, as(reader)))).toEqual([403, 'insufficient_scopes']);
    }
    expect(codeOf(await app.post('/api/v1/billing/portal', {}, as(key)))).toEqual([409, 'payment_method_required']);
    const dry = await app.post(
      '/api/v1/billing/checkout',
      { plan: 'pro' },
      as(key, { headers: { 'dry-run': 'true' } }),
    );
    expect([dry.status, dry.body.data, dry.body.meta.dry_run]).toEqual([201, {}, true]);
    expect(stripe.requests.length).toBe(asked);
  });

  it('returns 503 when Stripe is unavailable, without what was sent there', async () => {
    stripe.failures = 10;
    const answer = await app.post('/api/v1/billing/checkout', { plan: 'pro' }, as(key));
    stripe.failures = 0;
    expect(codeOf(answer)).toEqual([502, 'upstream_error']);
    expect(answer.body.error.details).toEqual({ provider: 'stripe', status: 500 });
  });
});

describe('an invoice paid through Stripe', () => {
  it('is created there line by line, to the cent, and paid here when it is paid there', async () => {
    const { ours, theirs } = await billed();
    const cents = Number(parseUsd(ours.total) / 10_000_000n);
    expect([theirs.total, theirs.metadata.number]).toEqual([cents, ours.number]);
    const items = stripe.itemsOf(theirs.id);
    expect(items.reduce((sum, { amount }) => sum + amount, 0)).toBe(cents);
    expect(items.map(({ description }) => description)).toEqual([
      expect.stringMatching(/^Plan Builder \([\d.]+ USD\)$/),
      expect.stringMatching(/^Sandbox compute \([\d.]+ USD\)$/),
      expect.stringMatching(/^Paid with credits \(-[\d.]+ USD\)$/),
    ]);
    stripe.payInvoice(theirs.id);
    const events = stripe.events.splice(0);
    await tell(...events, ...events);
    expect((await months.invoicesOf(key))[0]).toMatchObject({ id: ours.id, state: 'paid' });
    expect(
      await make.sql(`SELECT count(*) FROM ledger_transactions WHERE org_id = $1 AND kind = 'payment'`, [
        ada.organization.id,
      ]),
    ).toEqual([{ count: '1' }]);
  });

  it('is sent once when Stripe fails in between', async () => {
    await subscribe('builder');
    stripe.failures = 4;
    await months.close();
    const [{ id }] = await months.invoicesOf(key);
    const copies = (): any[] => stripe.all('invoice').filter(({ metadata }) => metadata.invoice_id === id);
    await eventually(() => copies()[0]?.status === 'open', 'Stripe has the invoice', WITHIN_MS);
    expect(copies()).toHaveLength(1);
    expect(stripe.itemsOf(copies()[0].id)).toHaveLength(1);
  });

  it('follows corrections, other payments and voiding', async () => {
    const { ours, theirs } = await billed();
    expectStatus(200, await operate(ours.id, 'credit-notes', { amountUsd: '1.23', reason: 'We were down', key: 'x' }));
    await eventually(() => theirs.amount_due === theirs.total - 123, 'Stripe has the credit note', WITHIN_MS);
    expectStatus(200, await operate(ours.id, 'paid', { payment: 'Transfer' }));
    await eventually(() => theirs.status === 'paid', 'Stripe knows that it is paid', WITHIN_MS);
    await tell(...stripe.events.splice(0));
    expect((await months.invoice(key, ours.id)).state).toBe('paid');

    ada = await make.person();
    key = await make.key(ada);
    const other = await billed();
    expectStatus(200, await operate(other.ours.id, 'void', { reason: 'A mistake' }));
    await eventually(() => other.theirs.status === 'void', 'Stripe knows that it is void', WITHIN_MS);
    expect(stripe.all('credit_note').filter(({ invoice }) => invoice === other.theirs.id)).toEqual([]);
  });
});

describe('POST /webhooks/stripe', () => {
  const event: StripeEvent = {
    id: 'evt_unknown',
    type: 'invoice.paid',
    data: { object: { id: 'in_nobodys', object: 'invoice' } },
  };

  it('accepts only recent events with a valid signature', async () => {
    for (const options of [{ secret: 'whsec_of_somebody_else' }, { at: Date.now() - 3_600_000 }]) {
      expect(codeOf(await stripe.deliver(app, event, options))).toEqual([401, 'invalid_signature']);
    }
    expect(codeOf(await app.post('/webhooks/stripe', event))).toEqual([401, 'invalid_signature']);
    expect(await make.sql('SELECT 1 FROM webhook_inbox WHERE event_id = $1', [event.id])).toEqual([]);
    expect(codeOf(await app.call('POST', '/webhooks/stripe', { body: 'x'.repeat(1_048_577) }))).toEqual([
      413,
      'payload_too_large',
    ]);
  });

  it('waits five seconds for an unauthenticated body', async () => {
    const began = performance.now();
    const answer = await app.raw('POST /webhooks/stripe HTTP/1.1\r\nHost: api.test\r\nContent-Length: 1000\r\n\r\n{');
    expect(answer).toContain('"code":"request_timeout"');
    expect(performance.now() - began).toBeLessThan(20_000);
  }, 40_000);

  it('ignores events without consequences', async () => {
    expect((await stripe.deliver(app, { ...event, id: 'evt_other', type: 'customer.updated' })).body.data).toEqual({
      outcome: 'ignored',
    });
  });
});

describe('without Stripe', () => {
  let plain: TestApp;
  beforeAll(async () => {
    plain = new TestApp({}, 'api');
    await plain.start();
  });
  afterAll(() => plain.stop());

  it('has no payment page and rejects webhooks', async () => {
    const own = await new Make(plain).key(await new Make(plain).person());
    for (const path of ['checkout', 'portal'])
      expect(
        codeOf(await plain.post(`/api/v1/billing/${path}`, path === 'checkout' ? { plan: 'pro' } : {}, as(own))),
      ).toEqual([409, 'integration_not_configured']);
    expect(codeOf(await plain.post('/webhooks/stripe', {}))).toEqual([409, 'integration_not_configured']);
  });
});
