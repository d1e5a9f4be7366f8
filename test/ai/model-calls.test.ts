import { request as httpRequest, type IncomingMessage } from 'node:http';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { GenerationSweeper } from '../../src/modules/ai/calls/generation-sweeper.js';
import { LostGenerationsCounter } from '../../src/modules/ai/metrics/ai.metrics.js';
import { GenerationsStore } from '../../src/modules/ai/persistence/generations.store.js';
import { ModelRouters } from '../../src/modules/ai/routers/model-routers.js';
import { ProviderKeysService } from '../../src/modules/ai/provider-keys/provider-keys.service.js';
import { GenerationEnds } from '../../src/modules/ai/calls/generation-ends.js';
import { ProjectEnvService } from '../../src/modules/projects/project-env.service.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { Database } from '../../src/platform/database/database.js';
import { Shutdown } from '../../src/platform/lifecycle/shutdown.js';
import { Log } from '../../src/platform/logging/log.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { FakeModelRouter, Gate } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, type CallOptions, eventually, TestApp } from '../support/test-app.js';

const CHAT = '/api/v1/ai/chat/completions';
const EMBEDDINGS = '/api/v1/ai/embeddings';
const GENERATIONS = '/api/v1/ai/generations';
const MODEL = 'fake/small';
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 };

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'api');
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['ai:invoke', 'billing:read'] });
});

afterEach(async () => {
  await eventually(
    async () => (await make.sql("SELECT 1 FROM holds WHERE state = 'held'")).length === 0,
    'nothing is held',
  );
  expect(await make.sql('SELECT id FROM generation_starts')).toEqual([]);
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
});

afterAll(() => app.stop());

const chat = (body: object, options?: CallOptions, by = key): Promise<Answer> => app.post(CHAT, body, as(by, options));
const billed = async (id: string): Promise<any> => {
  let found: Answer | undefined;
  await eventually(async () => {
    found = await app.fetch(`${GENERATIONS}/${id}`, as(key));
    return found.status === 200;
  }, `${id} is billed`);
  return found!.body.data;
};
const idOf = ({ headers }: Answer): string => headers.get('x-service-generation')!;
/** The events of a stream, but for the mark of its end. */
const eventsOf = (text: string): any[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)));
/** The price of what the fake billed, without any markup. */
const priceOf = (): string => formatUsd(router.lastGeneration.costNano);

describe('POST /api/v1/ai/chat/completions', () => {
  it('answers as the model did, with what it cost', async () => {
    const answer = expectStatus(200, await chat({ ...HELLO, seed: 7, future_field: { a: [1] } }));
    expect(answer.body).toMatchObject({
      object: 'chat.completion',
      model: MODEL,
      choices: [{ message: { role: 'assistant', content: 'Hello from the fake.' }, finish_reason: 'stop' }],
      usage: { completion_tokens: 4, cost: Number(priceOf()) },
    });
    expect(answer.headers.get('x-service-cost')).toBe(priceOf());
    expect(answer.headers.get('x-service-model')).toBe(MODEL);
    expect(answer.headers.get('x-service-max-tokens')).toBe('50');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { body } = router.calls[0]!;
    expect(body).toMatchObject({ model: MODEL, max_tokens: 50, seed: 7, future_field: { a: [1] } });
    expect(body.user).not.toContain(person.organization.id);
    expect(body.provider.max_price).toEqual({ prompt: 1, completion: 2 });

    const generation = await billed(idOf(answer));
    expect(generation).toMatchObject({
      id: idOf(answer),
      protocol: 'chat_completions',
      model: MODEL,
      streamed: false,
      outcome: 'succeeded',
      finish_reason: 'stop',
      usage_source: 'stream',
      tokens: { input: router.lastGeneration.prompt, output: 4, cache_read: 0, cache_write: 0 },
      cost: priceOf(),
    });
    const listed = expectStatus(200, await app.fetch(`${GENERATIONS}?limit=1`, as(key)));
    expect(listed.body.data).toEqual([generation]);
  });

  it('streams the bytes of the model, and shows the usage with our price to those who ask', async () => {
    router.next({ text: 'One two', comments: 1, usage: { cached: 3, cacheWrite: 2 } }, { text: 'One two' });
    const shown = await chat({ ...HELLO, stream: true, stream_options: { include_usage: true } });
    const plain = await chat({ ...HELLO, stream: true });
    expect(shown.headers.get('content-type')).toContain('text/event-stream');
    expect(shown.text.startsWith(': OPENROUTER PROCESSING\n\n')).toBe(true);
    expect(shown.text.endsWith('data: [DONE]\n\n')).toBe(true);
    const events = eventsOf(shown.text);
    expect(events.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('One two');
    expect(events.at(-1).usage.cost).toBe(Number((await billed(idOf(shown))).cost));
    expect((await billed(idOf(shown))).tokens).toMatchObject({ cache_read: 3, output: 2 });
    expect(plain.text).not.toContain('usage');
    expect(plain.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it.each([
    ['no messages', { model: MODEL }, 'messages'],
    ['no model', { messages: HELLO.messages }, 'model'],
    ['a limit of zero', { ...HELLO, max_tokens: 0 }, 'max_tokens'],
    ['too many answers', { ...HELLO, n: 1_000 }, 'n'],
    ['plugins, which are billed otherwise', { ...HELLO, plugins: [{ id: 'web' }] }, 'plugins'],
    ['tools that the router runs', { ...HELLO, tools: [{ type: 'openrouter:web_search' }] }, 'tools[0].type'],
    ['a service tier above the listed price', { ...HELLO, service_tier: 'priority' }, 'service_tier'],
    [
      'a cache of an hour, which has a price of its own',
      { ...HELLO, messages: [{ role: 'user', content: [{ cache_control: { ttl: '1h' } }] }] },
      'messages[0].content[0].cache_control.ttl',
    ],
    ['five models', { ...HELLO, models: ['a', 'b', 'c', 'd'] }, 'models'],
  ])('refuses %s', async (_, body, path) => {
    const { error } = expectStatus(400, await chat(body)).body;
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ path, in: 'body' }] });
    expect(router.calls).toEqual([]);
  });

  it('refuses an idempotency key with a stream', async () => {
    const options = { headers: { 'idempotency-key': uniqueName('key') } };
    const { error } = expectStatus(400, await chat({ ...HELLO, stream: true }, options)).body;
    expect(error.details).toMatchObject([{ path: 'Idempotency-Key', code: 'not_with_stream' }]);
  });

  it('answers once with an idempotency key', async () => {
    const options = { headers: { 'idempotency-key': uniqueName('key') } };
    const [first, second] = [await chat(HELLO, options), await chat(HELLO, options)];
    expect(second.text).toBe(first.text);
    expect(idOf(second)).toBe(idOf(first));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(router.calls).toHaveLength(1);
  });

  it('only prices a dry run', async () => {
    const { data, meta } = expectStatus(200, await chat(HELLO, { headers: { 'dry-run': 'true' } })).body;
    expect(meta.dry_run).toBe(true);
    expect(data.max_tokens).toBe(50);
    expect(parseUsd(data.max_cost)).toBeGreaterThan(100_000n);
    expect(router.calls).toEqual([]);
  });

  it('needs a key with the scope', async () => {
    expect(expectStatus(401, await app.post(CHAT, HELLO)).body.error.type).toBe('auth_error');
    const weak = await make.key(person, { scopes: ['projects:read'] });
    expect(expectStatus(403, await chat(HELLO, {}, weak)).body.error.code).toBe('insufficient_scopes');
  });

  it('knows only offered models', async () => {
    expect(expectStatus(404, await chat({ ...HELLO, model: 'fake/none' })).body.error.code).toBe('model_not_found');
  });

  it('repeats what the model says about the request, and holds nothing', async () => {
    router.next({ status: 400 });
    expect(expectStatus(400, await chat(HELLO)).body.error.message).toContain('Scripted failure 400');
  });

  it('answers 503 when no attempt succeeds, and charges nothing', async () => {
    router.alwaysFor(MODEL, { status: 500 });
    expect(expectStatus(503, await chat(HELLO)).body.error.code).toBe('model_unavailable');
  });

  it('reports a break in the middle, and charges what was billed', async () => {
    router.next({ text: 'One two three four', errorFrame: { afterFrames: 2, code: 502, message: 'sk-purchase died' } });
    const answer = await chat({ ...HELLO, stream: true });
    expect(answer.text).not.toContain('sk-purchase');
    expect(eventsOf(answer.text).at(-1).error).toMatchObject({ code: 'upstream_error', type: 'api_error' });
    const { cost, outcome, usage_source: source } = await billed(idOf(answer));
    expect({ cost, outcome, source }).toEqual({ cost: priceOf(), outcome: 'failed', source: 'router' });
  });

  it('reports a stream that ends without an end', async () => {
    router.next({ text: 'One two three', endsAfterFrames: 2 });
    const answer = await chat({ ...HELLO, stream: true });
    expect(eventsOf(answer.text).at(-1).error.code).toBe('upstream_error');
    expect((await billed(idOf(answer))).cost).toBe(priceOf());
  });
});

describe('POST /api/v1/ai/embeddings', () => {
  it('returns the vectors and charges the input', async () => {
    const body = { model: 'fake/embeddings', input: ['one', 'two'] };
    const answer = expectStatus(200, await app.post(EMBEDDINGS, body, as(key)));
    expect(answer.body.data.map(({ embedding }: any) => embedding)).toEqual([
      [0.25, -0.5, 0],
      [0.25, -0.5, 1],
    ]);
    const generation = await billed(idOf(answer));
    expect(generation).toMatchObject({ protocol: 'embeddings', tokens: { output: 0 }, outcome: 'succeeded' });
    expect(answer.headers.get('x-service-cost')).toBe(generation.cost);
  });

  it('refuses what is no text, callers without a key or the scope, and unknown models', async () => {
    const weak = await make.key(person, { scopes: ['projects:read'] });
    const body = { model: 'fake/embeddings', input: 'one' };
    const embed = (sent: object, by?: string): Promise<Answer> => app.post(EMBEDDINGS, sent, by ? as(by) : {});
    expectStatus(400, await embed({ ...body, input: 7 }, key));
    expectStatus(400, await embed({ ...body, model: MODEL }, key));
    expectStatus(401, await embed(body));
    expectStatus(403, await embed(body, weak));
    expectStatus(404, await embed({ ...body, model: 'fake/none' }, key));
  });
});

describe('GET /api/v1/ai/generations', () => {
  it('shows an organization only what is its own', async () => {
    const id = idOf(expectStatus(200, await chat(HELLO)));
    const other = await make.key(await make.person());
    expect((await app.fetch(GENERATIONS, as(other))).body.data).toEqual([]);
    expect(expectStatus(404, await app.fetch(`${GENERATIONS}/${id}`, as(other))).body.error.code).toBe(
      'generation_not_found',
    );
    expectStatus(404, await app.fetch(`${GENERATIONS}/gen_none`, as(key)));
    expectStatus(400, await app.fetch(`${GENERATIONS}?limit=0`, as(key)));
    const weak = await make.key(person, { scopes: ['projects:read'] });
    for (const path of [GENERATIONS, `${GENERATIONS}/${id}`]) {
      expectStatus(401, await app.fetch(path));
      expectStatus(403, await app.fetch(path, as(weak)));
    }
  });
});

describe('GET /api/v1/ai/generations with a filter', () => {
  it('lists only what matches, page by page', async () => {
    const own = await make.person({ plan: 'pro' });
    const first = await make.key(own, { scopes: ['ai:invoke'] });
    const second = await make.key(own, { scopes: ['ai:invoke'] });
    const ids: string[] = [];
    for (const by of [first, first, second]) ids.unshift(idOf(expectStatus(200, await chat(HELLO, {}, by))));
    router.next({ text: 'One two', errorFrame: { afterFrames: 1, code: 502, message: 'No.' } });
    const broken = idOf(await chat({ ...HELLO, stream: true }, {}, second));
    const list = async (query: string): Promise<any> =>
      expectStatus(200, await app.fetch(`${GENERATIONS}?${query}`, as(first))).body;
    const found = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }: any) => id);
    await eventually(async () => (await found('')).length === 4, 'all are billed');

    expect(await found('outcome=failed')).toEqual([broken]);
    expect(await found('outcome=succeeded')).toEqual(ids);
    expect(await found(`model=${MODEL}`)).toEqual([broken, ...ids]);
    expect(await found('model=fake/embeddings')).toEqual([]);
    expect(await found('project_id=prj_none')).toEqual([]);
    const keyId = (await list('')).data[0].key_id;
    expect(await found(`key_id=${keyId}`)).toEqual([broken, ids[0]]);
    const { data, meta } = await list(`key_id=${keyId}&limit=1`);
    expect(data[0].id).toBe(broken);
    expect(await found(`key_id=${keyId}&limit=1&cursor=${meta.next_cursor}`)).toEqual([ids[0]]);
    expectStatus(400, await app.fetch(`${GENERATIONS}?outcome=great`, as(first)));
    expectStatus(400, await app.fetch(`${GENERATIONS}?colour=red`, as(first)));
  });
});

describe('money', () => {
  it('lets as many racing calls through as there is money for', async () => {
    const buyer = await make.person();
    const own = await make.key(buyer, { scopes: ['ai:invoke', 'billing:read'] });
    const free = { ...HELLO, max_tokens: 4 };
    const { max_cost: held } = expectStatus(200, await chat(free, { headers: { 'dry-run': 'true' } }, own)).body.data;
    const k = 3;
    await keep(own, buyer.organization.id, parseUsd(held) * BigInt(k) + 1n);
    const gate = new Gate();
    // Each call keeps its hold until all have asked.
    router.alwaysFor(MODEL, { text: 'a b c d', before: gate });
    let refused = 0;
    const calls = Array.from({ length: 60 }, async () => {
      const { status } = await chat(free, {}, own);
      if (status !== 200 && ++refused === 60 - k) gate.letGo();
      return status;
    });
    const statuses = await Promise.all(calls);
    // The limits of the plan may refuse some of them before their money is looked at.
    expect(statuses.filter((status) => status === 200)).toHaveLength(k);
    expect(statuses.filter((status) => status !== 402 && status !== 429 && status !== 200)).toEqual([]);
  });

  it('shows to the nano-dollar what calls have cost, on the call, in the usage and on the invoice', async () => {
    const buyer = await make.person({ plan: 'pro' });
    const own = await make.key(buyer, { scopes: ['ai:invoke', 'billing:read'] });
    let sum = 0n;
    for (const [prompt, completion] of [
      [7, 3],
      [1_001, 17],
      [1, 1],
    ] as const) {
      router.next({ usage: { prompt, completion } });
      const answer = expectStatus(200, await chat(HELLO, {}, own));
      sum += parseUsd(answer.headers.get('x-service-cost')!);
      expect(parseUsd(answer.headers.get('x-service-cost')!)).toBe(router.lastGeneration.costNano);
    }
    const listed = expectStatus(200, await app.fetch(GENERATIONS, as(own))).body.data as { cost: string }[];
    expect(listed.reduce((total, { cost }) => total + parseUsd(cost), 0n)).toBe(sum);
    const usage = expectStatus(200, await app.fetch('/api/v1/billing/usage', as(own))).body.meta;
    expect(parseUsd(usage.cost)).toBe(sum);
    const invoice = expectStatus(200, await app.fetch('/api/v1/billing/invoices/upcoming', as(own))).body.data;
    const lines = invoice.lines.filter(({ meter }: { meter?: string }) => meter === 'ai_tokens');
    expect(lines.map(({ model }: { model: string }) => model).sort()).toEqual([`${MODEL}:input`, `${MODEL}:output`]);
    expect(lines.reduce((total: bigint, { amount }: { amount: string }) => total + parseUsd(amount), 0n)).toBe(sum);
  });

  it('refuses more calls at once than the plan allows', async () => {
    const own = await make.key(await make.person());
    const gate = new Gate();
    router.alwaysFor(MODEL, { before: gate });
    const calls = Array.from({ length: 5 }, async () => {
      const answer = await chat(HELLO, {}, own);
      if (answer.status !== 200) gate.letGo();
      return answer;
    });
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ body }) => body.error.code)).toEqual(['concurrency_limit_exceeded']);
    expect(refused[0]!.body.error.details.policy).toBe('ai_concurrency');
    expectStatus(200, await chat(HELLO, {}, own));
  });

  it('refuses more tokens in a minute than the plan allows, and counts what calls have used in the end', async () => {
    const own = await make.key(await make.person());
    const large = { ...HELLO, max_tokens: 39_000 };
    expectStatus(200, await chat(large, {}, own));
    // Only what was used counts, so that the next one finds room.
    expectStatus(200, await chat(large, {}, own));
    const gate = new Gate();
    router.alwaysFor(MODEL, { before: gate });
    const running = chat(large, {}, own);
    await eventually(() => router.calls.length === 3, 'the model is asked');
    const { error } = expectStatus(429, await chat(large, {}, own)).body;
    expect(error).toMatchObject({
      code: 'token_rate_limit_exceeded',
      details: { policy: 'tokens_per_minute', limit: 40_000 },
    });
    gate.letGo();
    expectStatus(200, await running);
    expectStatus(200, await chat(large, {}, own));
  });

  it('counts calls with the key of a project for the project, within its budget', async () => {
    const owner = await make.key(person);
    const id = expectStatus(201, await app.post('/api/v1/projects', { name: 'Shop' }, as(owner))).body.data
      .id as string;
    expectStatus(200, await app.call('PUT', `/api/v1/projects/${id}/model-access`, as(owner)));
    const env = app.get(ProjectEnvService);
    const secret = env
      .open(id, 'production', await env.sealedFor(id, 'production'))
      .find(({ name }) => name === 'OPENAI_API_KEY')!.value;
    const generation = await billed(idOf(expectStatus(200, await chat(HELLO, {}, secret))));
    expect(generation).toMatchObject({ project_id: id });
    const [event] = await make.sql(`SELECT project_id FROM usage_events
      ORDER BY occurred_at DESC LIMIT 1`);
    expect(event).toMatchObject({ project_id: id });

    const limit = { window: 'total', limit: '0' };
    expectStatus(200, await send(app, ['PUT', `/api/v1/billing/budgets/project:${id}`], limit, as(owner)));
    const { error } = expectStatus(402, await chat(HELLO, {}, secret)).body;
    expect(error).toMatchObject({ code: 'budget_exceeded', details: { subject: `project:${id}` } });
  });

  it('shortens an answer that the caller did not limit to what the credits cover', async () => {
    const buyer = await make.person();
    const own = await make.key(buyer);
    const unlimited = { model: MODEL, messages: HELLO.messages };
    await keep(own, buyer.organization.id, 1_000_000n);
    const answer = expectStatus(200, await chat(unlimited, {}, own));
    const most = Number(answer.headers.get('x-service-max-tokens'));
    expect(most).toBeGreaterThan(300);
    expect(most).toBeLessThan(500);
    expect(router.calls.at(-1)!.body.max_tokens).toBe(most);
    expect(expectStatus(402, await chat({ ...HELLO, max_tokens: 4_000 }, {}, own)).body.error.code).toBe(
      'credits_exhausted',
    );
  });

  it.each([0, 1, 90, 333, 700, 1_400])(
    'bills what the router billed when the caller leaves after %i bytes',
    async (bytes) => {
      router.unknownGenerationAnswers = 1;
      router.next({ text: 'word '.repeat(40) });
      const before = router.generations.size;
      const id = await leaveAfter(bytes);
      await eventually(() => router.generations.size > before && router.lastGeneration.isOver, 'the router is done');
      const generation = await billed(id!);
      expect(generation.cost).toBe(priceOf());
      expect(['cancelled', 'succeeded']).toContain(generation.outcome);
    },
  );

  it('ends streams before their process ends, says so, and charges what was generated', async () => {
    const other = await app.another();
    try {
      const gate = new Gate();
      router.next({ text: 'one two three four', after: { frames: 2, gate } });
      const answering = other.post(CHAT, { ...HELLO, stream: true }, as(key));
      await gate.reached;
      // So much of the time for requests is gone that they have three seconds left.
      other.get(Shutdown).beginDraining(12_000);
      const answer = await answering;
      expect(answer.status).toBe(200);
      expect(eventsOf(answer.text).at(-1).error).toMatchObject({ code: 'upstream_error' });
      gate.letGo();
      await eventually(() => router.lastGeneration.isOver, 'the router is done');
      expect(await billed(idOf(answer))).toMatchObject({ outcome: 'failed', cost: priceOf() });
    } finally {
      await other.stop();
    }
  });

  it('bills a caller who leaves the whole answer where leaving does not stop the bill', async () => {
    router.hangUpStopsBilling = false;
    router.next({ text: 'word '.repeat(30) });
    const id = await leaveAfter(300);
    const { cost, tokens } = await billed(id!);
    expect(cost).toBe(priceOf());
    expect(tokens.output).toBe(30);
  });

  it('settles what a lost process has left behind, and releases what nothing is known about', async () => {
    const answer = expectStatus(200, await chat(HELLO));
    const known = router.lastGeneration.id;
    const [row] = await make.sql('SELECT * FROM generations WHERE id = $1', [idOf(answer)]);
    const sweeper = new GenerationSweeper(
      app.get(GenerationsStore),
      app.get(ModelRouters),
      app.get(GenerationEnds),
      app.get(LostGenerationsCounter),
      { now: () => new Date(Date.now() + 20 * 60_000) },
      app.get(Log),
      app.get(ProviderKeysService),
    );
    const leave = (upstreamId: string | null): Promise<unknown> =>
      make.sql(
        `INSERT INTO generation_starts VALUES
           ($1, $2, $3, NULL, NULL, 'chat_completions', $4, '{input,output}', $5, $6, true, now(), now())`,
        [`gen_${uniqueName('lost')}`, row!.org_id, row!.user_id, MODEL, row!.router, upstreamId],
      );
    await leave(known);
    await leave('gen-unknown');
    await leave(null);
    await sweeper.run(new AbortController().signal);
    expect(await make.sql("SELECT outcome, usage_source FROM generations WHERE outcome = 'lost'")).toEqual([
      { outcome: 'lost', usage_source: 'router' },
    ]);
  });
});

it('keeps no text anywhere', async () => {
  const canary = uniqueName('canary');
  router.alwaysFor(MODEL, { text: `answer-${canary}` });
  const body = { ...HELLO, messages: [{ role: 'user', content: canary }], input: canary };
  for (const path of [CHAT, '/api/v1/ai/responses', '/api/v1/ai/messages'])
    for (const stream of [false, true])
      await billed(idOf(expectStatus(200, await app.post(path, { ...body, stream }, as(key)))));
  expect(router.calls).toHaveLength(6);
  const tables = await make.sql<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables)
    expect(await make.sql(`SELECT 1 FROM ${name} AS t WHERE t::text LIKE $1 LIMIT 1`, [`%${canary}%`])).toEqual([]);
  expect(JSON.stringify(app.log())).not.toContain(canary);
  const redis = app.get(RedisConnections).fast();
  for (const name of await redis.keys('*')) {
    expect(name).not.toContain(canary);
    expect(await redis.dump(name)).not.toContain(canary);
  }
});

/** Streams, and disconnects once that many bytes of the body have arrived. Returns the generation, if it is known. */
function leaveAfter(bytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const url = new URL(app.url);
    const sent = httpRequest({
      host: url.hostname,
      port: url.port,
      path: CHAT,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.on('response', (response: IncomingMessage) => {
      const id = response.headers['x-service-generation'] as string | undefined;
      let got = 0;
      const leave = (): void => {
        sent.destroy();
        resolve(id);
      };
      if (response.statusCode !== 200) reject(new Error(`Status ${response.statusCode}`));
      if (bytes === 0) leave();
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        got += chunk.length;
        if (got >= bytes) leave();
      });
      response.on('end', leave);
    });
    sent.end(JSON.stringify({ ...HELLO, stream: true }));
  });
}

/** Leaves so much to a new organization, and keeps its books balanced. */
async function keep(by: string, orgId: string, nano: bigint): Promise<void> {
  // The account is opened when it is first looked at.
  expectStatus(200, await app.fetch('/api/v1/billing/credits', as(by)));
  await make.sql(
    `WITH account AS (UPDATE credit_accounts SET posted_nano = $2 WHERE org_id = $1),
      part AS (UPDATE credit_grants SET remaining_nano = $2 WHERE org_id = $1),
    posted AS (INSERT INTO ledger_transactions (key, kind, org_id, details, at)
      VALUES ('spent:' || $1, 'expiry', $1, '{}', now()) RETURNING key)
    INSERT INTO ledger_entries SELECT key, position, account, $1, amount
      FROM posted, (VALUES (1, 'credits', 5000000000 - $2::bigint), (2, 'promotion',
      $2::bigint - 5000000000)) AS e (position, account, amount)`,
    [orgId, nano.toString()],
  );
}
