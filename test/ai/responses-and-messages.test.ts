import { request as httpRequest, type IncomingMessage } from 'node:http';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { Database } from '../../src/platform/database/database.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { FakeModelRouter, type FakeModel } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, type CallOptions, eventually, TestApp } from '../support/test-app.js';

const GENERATIONS = '/api/v1/ai/generations';
const MODEL = 'fake/cached';
const modelNamed = (id: string): FakeModel => ({
  id,
  maxOutputTokens: 4_096,
  pricing: {
    prompt: '0.000001',
    completion: '0.000002',
    input_cache_read: '0.0000001',
    input_cache_write: '0.00000125',
  },
});
/** It fails so often that it is not asked for a while. */
const FAILING = (protocol: string): string => `fake/failing-${protocol}`;
const TOKENS = { prompt: 100, completion: 7, cached: 30, cacheWrite: 20 };
/** What {@link TOKENS} are for callers. */
const COUNTED = { input: 50, cache_read: 30, cache_write: 20, output: 7 };

const HOUR = { type: 'ephemeral', ttl: '1h' };

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'api');
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  router.models.push(...[MODEL, FAILING('responses'), FAILING('messages')].map(modelNamed));
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['ai:invoke', 'billing:read', 'billing:write'] });
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

const RESPONSES = {
  protocol: 'responses',
  path: '/api/v1/ai/responses',
  hello: { model: MODEL, input: 'Say hello.', max_output_tokens: 50 },
  limit: 'max_output_tokens',
  done: 'completed',
  textOf: (body: any) => body.output[0].content[0].text,
  wordOf: ({ type, delta }: any) => (type === 'response.output_text.delta' ? delta : ''),
  usageOf: (events: any[]) => events.find(({ type }) => type === 'response.completed').response.usage,
};
const MESSAGES = {
  protocol: 'messages',
  path: '/api/v1/ai/messages',
  hello: { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 },
  limit: 'max_tokens',
  done: 'end_turn',
  textOf: (body: any) => body.content[0].text,
  wordOf: ({ type, delta }: any) => (type === 'content_block_delta' ? delta.text : ''),
  usageOf: (events: any[]) => events.find(({ type }) => type === 'message_delta').usage,
};

const billed = async (id: string): Promise<any> => {
  let found: Answer | undefined;
  await eventually(async () => {
    found = await app.fetch(`${GENERATIONS}/${id}`, as(key));
    return found.status === 200;
  }, `${id} is billed`);
  return found!.body.data;
};
const idOf = ({ headers }: Answer): string => headers.get('x-service-generation')!;
const eventsOf = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));
/** The price of what the fake billed, without any markup. */
const priceOf = (): string => formatUsd(router.lastGeneration.costNano);

describe.each([RESPONSES, MESSAGES])('POST $path', ({ protocol, path, hello, limit, done, ...form }) => {
  const ask = (body: object, options?: CallOptions, by = key): Promise<Answer> => app.post(path, body, as(by, options));
  const stream = (): Promise<Answer> => ask({ ...hello, stream: true });

  it('answers as the model did, with what it cost', async () => {
    router.next({ usage: TOKENS });
    const beta = { headers: { 'anthropic-beta': 'files-api-2025-04-14' } };
    const answer = expectStatus(200, await ask({ ...hello, user: 'me', future_field: { a: [1] } }, beta));
    expect(form.textOf(answer.body)).toBe('Hello from the fake.');
    expect(answer.body.id).toBe(router.lastGeneration.id);
    expect(answer.body.usage.cost).toBe(Number(priceOf()));
    expect(answer.body.usage).not.toHaveProperty('is_byok');
    expect(answer.headers.get('x-service-cost')).toBe(priceOf());
    expect(answer.headers.get('x-service-model')).toBe(MODEL);
    expect(answer.headers.get('x-service-max-tokens')).toBe('50');

    const { body, headers, path: asked } = router.calls[0]!;
    expect(asked).toBe(`/${protocol}`);
    expect(headers).not.toHaveProperty('anthropic-beta');
    expect(body).toMatchObject({ model: MODEL, [limit]: 50, future_field: { a: [1] } });
    expect(body.provider.max_price).toEqual({ prompt: 1, completion: 2 });
    const user = protocol === 'messages' ? body.metadata.user_id : body.user;
    expect(user).toMatch(/^[\w-]{43}$/);

    const generation = await billed(idOf(answer));
    expect(generation).toMatchObject({
      protocol,
      model: MODEL,
      streamed: false,
      outcome: 'succeeded',
      finish_reason: done,
      usage_source: 'stream',
      tokens: COUNTED,
      cost: priceOf(),
    });
    expect(expectStatus(200, await app.fetch(`${GENERATIONS}?limit=1`, as(key))).body.data).toEqual([generation]);
    const other = await make.key(await make.person());
    expectStatus(404, await app.fetch(`${GENERATIONS}/${generation.id}`, as(other)));
  });

  it('streams the bytes of the model, with our price in the usage in place of the purchase price', async () => {
    router.next({ text: 'One two', comments: 1, usage: TOKENS });
    const answer = expectStatus(200, await stream());
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.text.startsWith(': OPENROUTER PROCESSING\n\n')).toBe(true);
    const events = eventsOf(answer.text);
    expect(events.map(form.wordOf).join('')).toBe('One two');
    const { tokens, cost, streamed, finish_reason: reason } = await billed(idOf(answer));
    expect({ tokens, streamed, reason }).toEqual({ tokens: COUNTED, streamed: true, reason: done });
    expect(cost).toBe(priceOf());
    expect(form.usageOf(events)).toMatchObject({ output_tokens: 7, cost: Number(cost) });
    expect(answer.text).not.toContain('is_byok');
  });

  it('counts itself where the router does not count', async () => {
    router.next({ text: 'One two three', withoutUsage: true });
    router.unknownGenerationAnswers = 1;
    const answer = expectStatus(200, await stream());
    expect(eventsOf(answer.text).map(form.wordOf).join('')).toBe('One two three');
    expect(await billed(idOf(answer))).toMatchObject({ usage_source: 'router', cost: priceOf(), finish_reason: done });
  });

  it('refuses what is malformed, or billed by something other than tokens', async () => {
    const paths = async (body: object): Promise<string[]> => {
      const { error } = expectStatus(400, await ask(body)).body;
      expect(error.code).toBe('invalid_request');
      return error.details.map((detail: any) => detail.path);
    };
    expect(await paths({ ...hello, input: undefined, messages: undefined })).toEqual([
      protocol === 'responses' ? 'input' : 'messages',
    ]);
    expect(await paths({ ...hello, model: undefined })).toEqual(['model']);
    expect(await paths({ ...hello, model: 'fake/embeddings' })).toEqual(['model']);
    expect(await paths({ ...hello, [limit]: 0 })).toEqual([limit]);
    expect(await paths({ ...hello, stream: 'yes' })).toEqual(['stream']);
    expect(await paths({ ...hello, tools: {} })).toEqual(['tools']);
    expect(await paths({ ...hello, plugins: [{ id: 'web' }] })).toEqual(['plugins']);
    expect(await paths({ ...hello, service_tier: 'priority' })).toEqual(['service_tier']);
    expect(await paths({ ...hello, fallbacks: [{ model: 'fake/none' }] })).toEqual(['fallbacks']);
    expect(router.calls).toEqual([]);
  });

  it('needs a key with the scope, and an offered model', async () => {
    expectStatus(401, await app.post(path, hello));
    const weak = await make.key(person, { scopes: ['projects:read'] });
    expect(expectStatus(403, await ask(hello, {}, weak)).body.error.code).toBe('insufficient_scopes');
    expect(expectStatus(404, await ask({ ...hello, model: 'fake/none' })).body.error.code).toBe('model_not_found');
    const elsewhere = { headers: { 'x-service-org': (await make.person()).organization.id } };
    expectStatus(403, await ask(hello, elsewhere));
    expect(router.calls).toEqual([]);
  });

  it('only prices a dry run', async () => {
    const { data } = expectStatus(200, await ask(hello, { headers: { 'dry-run': 'true' } })).body;
    expect(data.max_tokens).toBe(50);
    expect(parseUsd(data.max_cost)).toBeGreaterThan(100_000n);
    expect(router.calls).toEqual([]);
  });

  it('answers once with an idempotency key, which a stream cannot have', async () => {
    const keyed = (): CallOptions => ({ headers: { 'idempotency-key': uniqueName('key') } });
    const options = keyed();
    const [first, second] = [await ask(hello, options), await ask(hello, options)];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(router.calls).toHaveLength(1);
    const { error } = expectStatus(400, await ask({ ...hello, stream: true }, keyed())).body;
    expect(error.details).toMatchObject([{ path: 'Idempotency-Key', code: 'not_with_stream' }]);
  });

  it('is limited by budgets', async () => {
    const buyer = await make.person();
    const own = await make.key(buyer);
    const { id } = expectStatus(200, await app.fetch('/api/v1/keys/current', as(own))).body.data;
    const budget = { window: 'total', limit: '0' };
    expectStatus(200, await send(app, ['PUT', `/api/v1/billing/budgets/key:${id}`], budget, as(buyer)));
    expect(expectStatus(402, await ask(hello, {}, own)).body.error.code).toBe('budget_exceeded');
    expect(router.calls).toEqual([]);
  });

  it('asks other models while none has answered', async () => {
    const model = FAILING(protocol);
    router.alwaysFor(model, { errorUnder200: { code: 529, message: 'sk-purchase is overloaded' } });
    for (const streamed of [true, false]) {
      const answer = expectStatus(200, await ask({ ...hello, model, models: [MODEL], stream: streamed }));
      expect(answer.headers.get('x-service-model')).toBe(MODEL);
      expect((await billed(idOf(answer))).cost).toBe(priceOf());
    }
    expect(router.calls.map(({ body }) => body.model)).toEqual([model, model, MODEL, model, model, MODEL]);
    router.alwaysFor(model, { status: 529 });
    expect(expectStatus(503, await ask({ ...hello, model })).body.error.code).toBe('model_unavailable');
  });

  it('repeats what the model says about the request, and charges nothing', async () => {
    router.next({ status: 404 });
    expect(expectStatus(400, await ask(hello)).body.error.message).toContain('Scripted failure 404');
  });

  it('ends a stream that breaks with an error event, and charges what was billed', async () => {
    const error = { afterFrames: 2, code: 502, message: 'sk-purchase died' };
    for (const fault of [{ errorFrame: error }, { endsAfterFrames: 2 }]) {
      router.next({ text: 'One two three four', ...fault });
      const answer = expectStatus(200, await stream());
      expect(answer.text).not.toContain('sk-purchase');
      expect(answer.text.split('\n\n').at(-2)).toMatch(/^event: error\ndata: /);
      const last = eventsOf(answer.text).at(-1);
      expect(last).toMatchObject({ type: 'error', error: { code: 'upstream_error', type: 'api_error' } });
      const { cost, outcome, usage_source: source } = await billed(idOf(answer));
      expect({ cost, outcome, source }).toEqual({ cost: priceOf(), outcome: 'failed', source: 'router' });
    }
  });

  it.each([0, 200, 700, 1_500, 3_000])(
    'bills what the router billed when the caller leaves after %i bytes',
    async (bytes) => {
      router.next({ text: 'word '.repeat(40) });
      const before = router.generations.size;
      const id = await leaveAfter(bytes, { path, body: { ...hello, stream: true } });
      await eventually(() => router.generations.size > before && router.lastGeneration.isOver, 'the router is done');
      const { cost, outcome } = await billed(id!);
      expect(cost).toBe(priceOf());
      expect(['cancelled', 'succeeded']).toContain(outcome);
    },
  );
});

describe('POST /api/v1/ai/responses', () => {
  const ask = (body: object): Promise<Answer> => app.post(RESPONSES.path, { ...RESPONSES.hello, ...body }, as(key));

  const REFUSED: readonly (readonly [path: string, body: object])[] = [
    ['store', { store: true }],
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    [
      'input[1].type',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
    ],
    ...['web_search', 'file_search', 'code_interpreter', 'computer_use', 'image_generation', 'mcp'].map(
      (type) => ['tools[1].type', { tools: [{ type: 'function', name: 'f' }, { type }] }] as const,
    ),
  ];

  it.each(REFUSED)('keeps nothing and runs no tools: %s', async (path, body) => {
    const { error } = expectStatus(400, await ask(body)).body;
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ path, in: 'body' }] });
    expect(router.calls).toEqual([]);
  });

  it('sends what the caller left out: the longest answer, and that nothing is kept', async () => {
    const fields = { store: false, background: false, max_output_tokens: undefined, previous_response_id: null };
    const answer = expectStatus(200, await ask(fields));
    const { body } = router.calls[0]!;
    expect(body).toMatchObject({ store: false, max_output_tokens: 4_096 });
    expect(body).not.toHaveProperty('background');
    expect(body).not.toHaveProperty('max_tokens');
    expect(answer.headers.get('x-service-max-tokens')).toBe('4096');
  });

  it('tells why an answer is incomplete', async () => {
    for (const stream of [false, true]) {
      router.next({ finishReason: 'max_output_tokens' });
      const generation = await billed(idOf(expectStatus(200, await ask({ stream }))));
      expect(generation).toMatchObject({ finish_reason: 'max_output_tokens', outcome: 'succeeded', cost: priceOf() });
    }
  });

  it('reads a last event of many megabytes', async () => {
    // Each attempt gets it, should the first one fail.
    router.alwaysFor(MODEL, { text: 'word '.repeat(2) + 'x'.repeat(5 * 1_048_576), usage: TOKENS });
    const answer = expectStatus(200, await ask({ stream: true }));
    expect(answer.text).not.toContain('is_byok');
    expect(await billed(idOf(answer))).toMatchObject({ usage_source: 'stream', tokens: COUNTED });
  });
});

describe('POST /api/v1/ai/messages', () => {
  const ask = (body: object): Promise<Answer> => app.post(MESSAGES.path, { ...MESSAGES.hello, ...body }, as(key));

  const REFUSED: readonly (readonly [path: string, body: object])[] = [
    ['max_tokens', { max_tokens: undefined }],
    ['mcp_servers', { mcp_servers: [] }],
    ['container', { container: 'container_1' }],
    ['speed', { speed: 'fast' }],
    ['inference_geo', { inference_geo: 'us' }],
    ['compaction', { compaction: {} }],
    ['context_management.edits[1].type', { context_management: { edits: [{}, { type: 'compact_20260112' }] } }],
    ['system[0].cache_control.ttl', { system: [{ type: 'text', text: 'Hi', cache_control: HOUR }] }],
    [
      'messages[0].content[1].cache_control.ttl',
      { messages: [{ role: 'user', content: [{ type: 'text' }, { type: 'text', cache_control: HOUR }] }] },
    ],
    ...['web_search_20250305', 'code_execution_20250825', 'mcp_toolset', 'tool_search_tool_regex_20251119'].map(
      (type) =>
        [
          'tools[1].type',
          {
            tools: [
              { name: 'own', input_schema: {} },
              { type, name: 'theirs' },
            ],
          },
        ] as const,
    ),
  ];

  it.each(REFUSED)('refuses what Anthropic runs, or prices otherwise: %s', async (path, body) => {
    const { error } = expectStatus(400, await ask(body)).body;
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ path, in: 'body' }] });
    expect(router.calls).toEqual([]);
  });

  it('passes on tools that the caller runs, and what has the listed price', async () => {
    const tools = [
      { name: 'own', input_schema: {} },
      { type: 'custom', name: 'other', input_schema: {} },
      { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral', ttl: '5m' } },
    ];
    const listed = { speed: 'standard', context_management: { edits: [{ type: 'clear_thinking_20251015' }] } };
    expectStatus(200, await ask({ tools, system: 'Be brief.', ...listed }));
    expect(router.calls[0]!.body).toMatchObject({ tools, system: 'Be brief.', ...listed });
  });
});

/** Streams, and disconnects once that many bytes of the body have arrived. Returns the generation, if it is known. */
function leaveAfter(bytes: number, { path, body }: { path: string; body: object }): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = httpRequest(`${app.url}${path}`, { method: 'POST', headers });
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
    sent.end(JSON.stringify(body));
  });
}
