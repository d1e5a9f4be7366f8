import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelsService } from '../../src/modules/ai/catalog/models.service.js';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { PricesService } from '../../src/modules/metering/prices.service.js';
import { Database } from '../../src/platform/database/database.js';
import { Clock } from '../../src/platform/time/clock.js';
import { FakeModelRouter, ROUTER_KEY } from '../support/fake-model-router.js';
import { TestApp } from '../support/test-app.js';

const HOUR_MS = 3_600_000;
const MODELS = '/api/v1/ai/models';

describe('models and their prices', () => {
  const directory = mkdtempSync(join(tmpdir(), 'models-'));
  const settings: NodeJS.ProcessEnv = {
    SANDBOX_ENABLED: 'false',
    AI_MARKUP_PERCENT: '10',
    MODELS_FILE: join(directory, 'models.json'),
  };
  const local = FakeModelRouter.use(settings);
  const market = FakeModelRouter.use(settings, { speaks: 'openrouter' });
  const app = new TestApp(settings, 'api');
  /** Each synchronization comes long after the last one, so that every router is due. */
  let laterMs = 0;

  beforeAll(async () => {
    writeFileSync(
      join(directory, 'models.json'),
      JSON.stringify({
        models: [
          { id: 'house', router: 'default', upstream: 'tiny:3b', aliases: ['gpt-4o-mini'], context_tokens: 4_096 },
          { id: 'own-price', router: 'openrouter', upstream: 'a/plain', prices: { input: '3', output: '5' } },
        ],
      }),
    );
    local.models = [{ id: 'tiny:3b' }, { id: 'shared/model' }, { id: 'not an id' }];
    await app.start();
    const clock = app.get(Clock);
    const now = clock.now.bind(clock);
    jest.spyOn(clock, 'now').mockImplementation(() => new Date(now().getTime() + laterMs));
  });
  beforeEach(() => {
    market.models = [
      {
        id: 'a/plain',
        name: 'Plain',
        contextTokens: 128_000,
        maxOutputTokens: 8_000,
        inputModalities: ['text', 'image'],
        // The cheapest token of this model costs less than a nano-dollar.
        pricing: { prompt: '0.00000015', completion: '0.0000006', input_cache_read: '0.0000000000005' },
        expirationDate: '2999-01-01',
      },
      { id: 'a/auto', pricing: { prompt: '-1', completion: '-1' } },
      { id: 'a/by-request', pricing: { prompt: '0.000001', completion: '0.000001', request: '0.01' } },
      { id: 'a/expired', pricing: { prompt: '0.000001', completion: '0.000001' }, expirationDate: '2020-01-01' },
      { id: 'a/embed', outputModalities: ['embeddings'], pricing: { prompt: '0.00000002', completion: '0' } },
      { id: 'shared/model', pricing: { prompt: '0.000001', completion: '0.000001' } },
    ];
  });
  afterAll(async () => {
    await app.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function sync(): Promise<void> {
    laterMs += 2 * HOUR_MS;
    await app.get(PriceSyncService).run(new AbortController().signal);
  }
  const listed = async (): Promise<any[]> => (await app.fetch(MODELS)).body.data as any[];
  const modelOf = async (id: string): Promise<any> => (await listed()).find((model) => model.id === id);
  /** The price of input that applies that long after now. */
  const priceIn = async (model: string, ms: number): Promise<bigint | undefined> =>
    (await app.get(PricesService).list(new Date(app.get(Clock).now().getTime() + ms))).find(
      (price) => price.model === `${model}:input`,
    )?.priceNano;

  it('lists nothing before the first synchronization, and everything that has prices after it', async () => {
    const empty = await app.fetch(MODELS);
    expect(empty.status).toBe(200);
    expect(empty.body).toEqual({ object: 'list', data: [] });

    await sync();
    const { status, body } = await app.fetch(MODELS);
    expect(status).toBe(200);
    expect(body.object).toBe('list');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
      'a/embed',
      'a/plain',
      'house',
      'own-price',
      'shared/model',
      'tiny:3b',
    ]);
    expect(await modelOf('a/plain')).toEqual({
      id: 'a/plain',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'a',
      name: 'Plain',
      aliases: [],
      context_length: 128_000,
      max_output_tokens: 8_000,
      pricing: { input: '0.165', output: '0.66', cache_read: '0.00000055', cache_write: '0.165' },
      modalities: { input: ['text', 'image'], output: ['text'] },
      protocols: ['chat_completions', 'responses', 'messages'],
      expires_at: '2999-01-01T00:00:00.000Z',
    });
    expect(await modelOf('a/embed')).toMatchObject({ pricing: { input: '0.022' }, protocols: ['embeddings'] });
    expect(await modelOf('own-price')).toMatchObject({ pricing: { input: '3', output: '5', cache_read: '3' } });
  });

  it('charges nothing for a server of the operator, which comes before others with the same model', async () => {
    const [shared, house] = await app
      .get(ModelsService)
      .list()
      .then((all) => ['shared/model', 'house'].map((id) => all.find((model) => model.id === id)));
    expect(shared).toMatchObject({ router: 'default', pricesNano: { input: 0n, output: 0n, cache_read: 0n } });
    expect(house).toMatchObject({ router: 'default', upstreamId: 'tiny:3b', contextTokens: 4_096 });
  });

  it('returns a model by its ID with slashes, or by an alias', async () => {
    expect((await app.fetch(`${MODELS}/a/plain`)).body).toMatchObject({ id: 'a/plain', object: 'model' });
    expect((await app.fetch(`${MODELS}/a%2Fplain`)).body).toMatchObject({ id: 'a/plain' });
    expect((await app.fetch(`${MODELS}/gpt-4o-mini`)).body).toMatchObject({ id: 'house' });
    const missing = await app.fetch(`${MODELS}/a/missing`);
    expect(missing.status).toBe(404);
    expect(missing.body.error).toMatchObject({ type: 'not_found_error', code: 'model_not_found' });
    // Without a price it cannot be called.
    expect((await app.fetch(`${MODELS}/a/auto`)).status).toBe(404);
  });

  it('plans the models of a request in their order, and refuses what cannot be called', async () => {
    const models = app.get(ModelsService);
    const plan = (model: unknown, others?: unknown) =>
      models.plan({ protocol: 'chat_completions', model, models: others });
    expect((await plan('gpt-4o-mini', ['a/plain', 'house'])).models.map(({ id }) => id)).toEqual(['house', 'a/plain']);
    await expect(plan('a/plain', ['a/missing'])).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(plan('a/embed')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('keeps a price for ten minutes when it changes, and never changes a version', async () => {
    await sync();
    const cheap = market.models[0]!;
    market.models[0] = { ...cheap, pricing: { ...cheap.pricing, prompt: '0.0000003' } };
    await sync();
    expect(await priceIn('a/plain', 9 * 60_000)).toBe(165_000_000n);
    expect(await priceIn('a/plain', 11 * 60_000)).toBe(330_000_000n);
    // The same again adds nothing.
    const count = async (): Promise<string> =>
      (await app.get(Database).manager.query<{ count: string }[]>('SELECT count(*) FROM price_versions'))[0]!.count;
    const before = await count();
    await sync();
    expect(await count()).toBe(before);
  });

  it.each([
    ['dynamic', { prompt: '-1', completion: '-1' }],
    ['free', { prompt: '0', completion: '0' }],
    ['tripled', { prompt: '0.000004', completion: '0.0000006', input_cache_read: '0.0000000000005' }],
  ])('refuses prices that are suddenly %s, and keeps the last ones', async (refusal, pricing) => {
    await sync();
    const before = await priceIn('shared/model', HOUR_MS);
    const plain = await priceIn('a/plain', HOUR_MS);
    market.models[0] = { ...market.models[0]!, pricing };
    await sync();
    expect(await priceIn('a/plain', HOUR_MS)).toBe(plain);
    expect(await priceIn('shared/model', HOUR_MS)).toBe(before);
    const [row] = await app
      .get(Database)
      .manager.query<{ refused_prices: string }[]>("SELECT refused_prices FROM models WHERE id = 'a/plain'");
    expect(row!.refused_prices).toBe(refusal);
    expect((await app.fetch('/metrics')).text).toMatch(/ai_prices_refused\S* 1/);
    expect(await modelOf('a/plain')).toBeDefined();
  });

  it('keeps models and prices when a router does not answer, and forgets what it lists no longer', async () => {
    await sync();
    const before = await listed();
    market.listFailure = { status: 500 };
    await sync();
    expect(await listed()).toEqual(before);
    market.listFailure = undefined;
    market.models = market.models.filter(({ id }) => id !== 'a/embed');
    await sync();
    // Processes cache the list for a while.
    laterMs += HOUR_MS;
    expect((await listed()).map(({ id }) => id as string)).toEqual(
      before.map(({ id }) => id as string).filter((id) => id !== 'a/embed'),
    );
  });

  it('asks a market once an hour, and a server of the operator each time', async () => {
    await sync();
    for (const router of [local, market]) router.reset();
    await app.get(PriceSyncService).run(new AbortController().signal);
    expect([local.requests.length, market.requests.length]).toEqual([1, 0]);
  });

  it('shows the prices of models among all others', async () => {
    const { body } = await app.fetch('/api/v1/billing/prices');
    expect(body.data).toContainEqual(expect.objectContaining({ model: 'own-price:output', price_usd: '5' }));
    expect(JSON.stringify(body)).not.toContain(ROUTER_KEY);
  });
});

describe('models without a router', () => {
  const app = new TestApp({}, 'api');
  beforeAll(() => app.start());
  afterAll(() => app.stop());

  it('has an empty list, and says what the operator sets', async () => {
    expect((await app.fetch(MODELS)).body).toEqual({ object: 'list', data: [] });
    const { status, body } = await app.fetch(`${MODELS}/a/plain`);
    expect(status).toBe(503);
    expect(body.error).toMatchObject({ code: 'model_router_not_configured' });
    expect(body.error.hint).toContain('MODEL_ROUTER_URL');
    await expect(app.get(ModelsService).plan({ protocol: 'chat_completions', model: 'a/plain' })).rejects.toMatchObject(
      { code: 'model_router_not_configured' },
    );
  });
});
