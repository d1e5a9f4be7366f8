import { randomUUID } from 'node:crypto';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { UnheldUsageService } from '../../src/modules/credits/unheld-usage.service.js';
import { Months } from '../billing/months.js';
import { client } from '../support/built-client.js';
import { FakeModelRouter, ROUTER_KEY } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

const USAGE_TOKEN = 'usage-token-0123456789';

/** Service document §7 and §8: what is metered, credits and plans. */
describe('Metering', () => {
  const app = useApp({ USAGE_TOKEN, PLAN_CHANGES: 'free' }, 'api');
  const make = new Make(app);
  let months: Months;
  let person: Person;
  let key: string;

  beforeAll(() => {
    months = new Months(app, make);
  });
  beforeEach(async () => {
    await months.begin();
    months.at(86_400);
    person = await make.person();
    key = await make.key(person);
  });

  const use = async (event: { meter: string; model?: string; quantity: string }): Promise<void> => {
    const report = {
      source: 'document',
      id: randomUUID(),
      org_id: person.organization.id,
      occurred_at: months.at(86_400).toISOString(),
      ...event,
    };
    expect(
      expectStatus(200, await send(app, ['POST', '/api/v1/billing/events'], { events: [report] }, as(USAGE_TOKEN))).body
        .data,
    ).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
  };
  const costs = async (): Promise<Record<string, unknown>[]> =>
    expectStatus(200, await app.fetch(`/api/v1/billing/usage?from=${months.period.from.toISOString()}`, as(key))).body
      .data;
  const balance = async (): Promise<string> =>
    expectStatus(200, await app.fetch('/api/v1/billing/credits', as(key))).body.data.balance;
  const HOUR_OF_COMPUTE = { meter: 'sandbox_compute', quantity: '3600000' };
  const MILLION_TOKENS = { meter: 'ai_tokens', model: 'anthropic/claude-sonnet:input', quantity: '1000000' };
  /** A gigabyte for the whole month. */
  const gigabyte = (meter: string): { meter: string; quantity: string } => ({
    meter,
    quantity: String((1_000_000_000 * (months.period.to.getTime() - months.period.from.getTime())) / 3_600_000),
  });

  it('Builder and Pro are a base subscription plus usage billed monthly', async () => {
    expectStatus(200, await app.post('/api/v1/billing/subscription', { plan: 'builder' }, as(key)));
    await use({ ...MILLION_TOKENS, quantity: '3000000' });
    await months.close();
    const [listed] = await months.invoicesOf(key);
    const { lines } = await months.invoice(key, listed.id);
    expect(lines.map(({ kind }: any) => kind)).toEqual(expect.arrayContaining(['base_fee', 'usage']));
    // Nine dollars of usage, five of them by the credits that it began with on Free.
    expect(lines.find(({ kind }: any) => kind === 'usage')).toMatchObject({ amount: '9' });
    expect(Number(listed.total)).toBeCloseTo(Number(lines[0].amount) + 4, 1);
  });

  it('Free-tier users get $5 in credits that cover every usage type', async () => {
    expect(await balance()).toBe('5');
    let before = 5;
    for (const event of [
      { ...MILLION_TOKENS, quantity: '100000' },
      HOUR_OF_COMPUTE,
      gigabyte('database_storage'),
      gigabyte('object_storage'),
    ]) {
      await use(event);
      await app.get(UnheldUsageService).payAll();
      const now = Number(await balance());
      expect(now).toBeLessThan(before);
      before = now;
    }
    await months.close();
    expect(await months.invoicesOf(key)).toEqual([expect.objectContaining({ total: '0.00', state: 'paid' })]);
  });

  it('AI inference: tokens through model calls, billed per 1M tokens; the rate varies by model', async () => {
    await use(MILLION_TOKENS);
    await use({ ...MILLION_TOKENS, model: 'openai/gpt-mini:input' });
    const prices = expectStatus(200, await app.fetch('/api/v1/billing/prices')).body.data as any[];
    const priceOf = (model: string): string => prices.find((price) => price.model === model).price_usd as string;
    expect(prices.filter(({ meter }) => meter === 'ai_tokens').every(({ per }) => per === '1,000,000 tokens')).toBe(
      true,
    );
    const [{ cost } = {}] = await costs();
    expect(Number(cost)).toBeCloseTo(
      Number(priceOf('anthropic/claude-sonnet:input')) + Number(priceOf('openai/gpt-mini:input')),
      9,
    );
    expect(priceOf('anthropic/claude-sonnet:input')).not.toBe(priceOf('openai/gpt-mini:input'));
  });

  it.each([
    ['Sandbox compute: billed per compute hour', () => HOUR_OF_COMPUTE, 'hour'],
    ['Database storage: PostgreSQL storage, billed per GB per month', () => gigabyte('database_storage'), 'GB-month'],
    ['Object storage: files and media, billed per GB per month', () => gigabyte('object_storage'), 'GB-month'],
  ])('%s', async (_what, usage, unit) => {
    const event = usage();
    await use(event);
    const price = (expectStatus(200, await app.fetch('/api/v1/billing/prices')).body.data as any[]).find(
      ({ meter }) => meter === event.meter,
    );
    expect(price.per).toContain(unit);
    expect(await costs()).toEqual([expect.objectContaining({ meter: event.meter, cost: price.price_usd })]);
  });
});

describe('Model calls', () => {
  const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
  const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
  const app = useApp(settings, 'api');
  const make = new Make(app);

  it('are routed through a third-party model-routing service, and paid with credits', async () => {
    await app.get(PriceSyncService).run(new AbortController().signal);
    const key = await make.key(await make.person());
    const body = { model: 'fake/small', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 };
    expectStatus(200, await app.post('/api/v1/ai/chat/completions', body, as(key)));
    expect(router.calls).toEqual([
      expect.objectContaining({
        path: '/chat/completions',
        headers: expect.objectContaining({ authorization: `Bearer ${ROUTER_KEY}` }),
        body: expect.objectContaining({ model: 'fake/small', messages: body.messages }),
      }),
    ]);
    await eventually(
      async () => Number((await app.fetch('/api/v1/billing/credits', as(key))).body.data.balance) < 5,
      'the call is paid',
    );
  });
});

describe('InsufficientCreditsError, 402', () => {
  const app = useApp({ ...WITH_SANDBOX, USAGE_TOKEN, PLAN_CHANGES: 'free' });
  const make = new Make(app);

  it('is what an account gets that has really used its credits up, before anything begins', async () => {
    const person = await make.person();
    const service = new client.Service({ apiKey: await make.key(person), baseUrl: app.url, maxRetries: 5 });
    expect(await service.sandbox.run({ language: 'python', code: 'print(1)' })).toMatchObject({ stdout: '1\n' });
    const event = {
      source: 'document',
      id: randomUUID(),
      org_id: person.organization.id,
      occurred_at: new Date().toISOString(),
      meter: 'sandbox_compute',
      quantity: String(50 * 3_600_000),
    };
    expectStatus(200, await send(app, ['POST', '/api/v1/billing/events'], { events: [event] }, as(USAGE_TOKEN)));
    await app.get(UnheldUsageService).payAll();
    expect(await service.billing.credits()).toMatchObject({ balance: '0' });
    const refused = await service.sandbox
      .run({ language: 'python', code: 'print(1)' })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(client.InsufficientCreditsError);
    expect(refused).toMatchObject({
      status: 402,
      code: 'credits_exhausted',
      upgradeUrl: expect.stringContaining('http'),
    });
  });
});
