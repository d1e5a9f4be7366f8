import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embed, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI, { APIError, AuthenticationError, type InternalServerError, NotFoundError, RateLimitError } from 'openai';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { FakeModelRouter, Gate } from '../support/fake-model-router.js';
import { Make, type Person } from '../support/make.js';
import { TestApp } from '../support/test-app.js';

/** The clients that OpenAI, Anthropic and Vercel publish, unchanged: only their address and key are ours. */

const MODEL = 'fake/small';
const DEAR = 'fake/dear';
const MESSAGES = [{ role: 'user' as const, content: 'Say hello.' }];
const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const WEATHER = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] };
const CALLED = [{ name: 'weather', arguments: '{"city":"Rome"}' }];
const BREAKS = { text: 'One two three four', errorFrame: { afterFrames: 2, code: 502, message: 'died' } };

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'api');
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  router.models.push({ id: DEAR, pricing: { prompt: '0.001', completion: '0.001' } });
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['ai:invoke'] });
});

afterAll(() => app.stop());

/** Resolves with what the work was refused with. */
async function refusalOf<Refusal>(work: PromiseLike<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    return error as Refusal;
  }
  throw new Error('It was not refused.');
}

/** Reads everything. */
async function all<Each>(stream: AsyncIterable<Each>): Promise<Each[]> {
  const each: Each[] = [];
  for await (const one of stream) each.push(one);
  return each;
}

describe('openai', () => {
  const client = (apiKey = key, of = app): OpenAI => new OpenAI({ apiKey, baseURL: `${of.url}/api/v1/ai` });

  it('chats', async () => {
    const answer = await client().chat.completions.create({ model: MODEL, messages: MESSAGES });
    expect(answer.choices[0]!.message.content).toBe('Hello from the fake.');
    expect(answer.usage).toMatchObject({ completion_tokens: 4 });
  });

  it('chats in a stream, and reads the usage', async () => {
    const chunks = await all(
      await client().chat.completions.create({
        model: MODEL,
        messages: MESSAGES,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello from the fake.');
    expect(chunks.at(-1)!.usage).toMatchObject({ completion_tokens: 4 });
  });

  it('calls tools, and answers with their results', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: WEATHER } }];
    router.next({ tools: CALLED }, { tools: CALLED }, { text: 'Sunny.' });
    const asked = await client().chat.completions.create({ model: MODEL, messages: MESSAGES, tools });
    const { message } = asked.choices[0]!;
    expect(message.tool_calls).toMatchObject([{ function: { name: 'weather', arguments: '{"city":"Rome"}' } }]);

    const streamed = client().chat.completions.stream({ model: MODEL, messages: MESSAGES, tools });
    expect((await streamed.finalMessage()).tool_calls).toMatchObject([{ function: CALLED[0]! }]);

    const result = { role: 'tool' as const, tool_call_id: message.tool_calls![0]!.id, content: '25 °C' };
    const answer = await client().chat.completions.create({
      model: MODEL,
      messages: [...MESSAGES, message, result],
      tools,
    });
    expect(answer.choices[0]!.message.content).toBe('Sunny.');
    expect(router.calls.at(-1)!.body.messages.at(-1)).toEqual(result);
  });

  it('sends schemas and pictures', async () => {
    router.next({ text: '{"city":"Rome"}' });
    const format = { type: 'json_schema' as const, json_schema: { name: 'place', strict: true, schema: WEATHER } };
    const picture = { type: 'image_url' as const, image_url: { url: PICTURE } };
    const answer = await client().chat.completions.parse({
      model: MODEL,
      messages: [{ role: 'user', content: [picture] }],
      response_format: format,
    });
    expect(answer.choices[0]!.message.parsed).toEqual({ city: 'Rome' });
    expect(router.calls[0]!.body).toMatchObject({ response_format: format, messages: [{ content: [picture] }] });
  });

  it('embeds', async () => {
    const answer = await client().embeddings.create({
      model: 'fake/embeddings',
      input: ['one', 'two'],
      encoding_format: 'float',
    });
    expect(answer.data.map(({ embedding }) => embedding)).toEqual([
      [0.25, -0.5, 0],
      [0.25, -0.5, 1],
    ]);
  });

  it('lists and retrieves models', async () => {
    expect((await all(client().models.list())).map(({ id }) => id)).toEqual([DEAR, 'fake/embeddings', MODEL]);
    expect(await client().models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model', owned_by: 'fake' });
  });

  it('raises on refusals, without sending again what cannot succeed', async () => {
    const chat = (asked: object, by = client()): PromiseLike<unknown> =>
      by.chat.completions.create({ model: MODEL, messages: MESSAGES, ...asked });
    const unauthorized = await refusalOf<AuthenticationError>(chat({}, client('no-key')));
    expect(unauthorized).toBeInstanceOf(AuthenticationError);
    expect(unauthorized).toMatchObject({ status: 401, code: 'malformed_api_key', type: 'auth_error' });

    const free = client(await make.key(await make.person())).withOptions({ maxRetries: 0 });
    const poor = await refusalOf<APIError>(chat({ model: DEAR, max_tokens: 9_000 }, free));
    expect(poor).toBeInstanceOf(APIError);
    expect(poor).toMatchObject({ status: 402, code: 'credits_exhausted' });

    const unknown = await refusalOf<NotFoundError>(chat({ model: 'fake/none' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found' });

    const gate = new Gate();
    router.next({ before: gate });
    const running = Promise.resolve(chat({ max_tokens: 39_000 }, free));
    await gate.reached;
    const limited = await refusalOf<RateLimitError>(chat({ max_tokens: 39_000 }, free));
    gate.letGo();
    await running;
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited).toMatchObject({ status: 429, code: 'token_rate_limit_exceeded' });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(router.calls).toHaveLength(1);
  });

  it('does not wait until tomorrow when the calls of a day are used up', async () => {
    const busy = await make.person();
    const own = await make.key(busy);
    await make.spend(busy.organization.id, 1_000_000);
    const refused = await refusalOf<RateLimitError>(client(own).models.list());
    expect(refused).toMatchObject({ status: 429, code: 'daily_limit_exceeded' });
    expect(refused.headers.get('x-should-retry')).toBe('false');
  });

  it('raises when a stream breaks', async () => {
    router.next(BREAKS);
    const stream = await client().chat.completions.create({ model: MODEL, messages: MESSAGES, stream: true });
    const broken = await refusalOf<APIError>(all(stream));
    expect(broken).toBeInstanceOf(APIError);
    expect(broken).toMatchObject({ code: 'upstream_error', type: 'api_error' });
  });
});

describe('ai with @ai-sdk/openai-compatible', () => {
  const provider = (apiKey = key): ReturnType<typeof createOpenAICompatible> =>
    createOpenAICompatible({
      name: 'service',
      apiKey,
      baseURL: `${app.url}/api/v1/ai`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });

  it('chats, whole and in a stream with the usage', async () => {
    const whole = await generateText({ model: provider()(MODEL), messages: MESSAGES });
    expect(whole.text).toBe('Hello from the fake.');
    expect(whole.usage.outputTokens).toBe(4);
    const streamed = streamText({ model: provider()(MODEL), messages: MESSAGES });
    expect((await all(streamed.textStream)).join('')).toBe('Hello from the fake.');
    expect((await streamed.usage).outputTokens).toBe(4);
  });

  it('runs tools until the model answers', async () => {
    router.next({ tools: CALLED }, { text: 'Sunny.' });
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>(WEATHER),
      execute: ({ city }) => `25 °C in ${city}`,
    });
    const { text, steps } = await generateText({
      model: provider()(MODEL),
      messages: MESSAGES,
      tools: { weather },
      stopWhen: stepCountIs(2),
    });
    expect(text).toBe('Sunny.');
    expect(steps).toHaveLength(2);
    expect(JSON.stringify(router.calls[1]!.body.messages)).toContain('25 °C in Rome');
  });

  it('sends schemas and pictures, and embeds', async () => {
    router.next({ text: '{"city":"Rome"}' });
    const { output } = await generateText({
      model: provider()(MODEL),
      output: Output.object({ schema: jsonSchema<{ city: string }>(WEATHER) }),
      messages: [{ role: 'user', content: [{ type: 'image', image: PICTURE }] }],
    });
    expect(output).toEqual({ city: 'Rome' });
    expect(router.calls[0]!.body.response_format.type).toBe('json_schema');
    expect(router.calls[0]!.body.messages[0].content[0]).toMatchObject({ type: 'image_url' });
    const { embedding } = await embed({ model: provider().embeddingModel('fake/embeddings'), value: 'one' });
    expect(embedding).toEqual([0.25, -0.5, 0]);
  });

  it('raises on refusals, and when a stream breaks', async () => {
    const unknown = await refusalOf<{ statusCode: number; isRetryable: boolean; responseBody: string }>(
      generateText({ model: provider()('fake/none'), messages: MESSAGES }),
    );
    expect(unknown).toMatchObject({ statusCode: 404, isRetryable: false });
    expect(JSON.parse(unknown.responseBody).error.code).toBe('model_not_found');
    router.next(BREAKS);
    const errors: unknown[] = [];
    const { textStream } = streamText({
      model: provider()(MODEL),
      messages: MESSAGES,
      onError: ({ error }) => void errors.push(error),
    });
    expect((await all(textStream)).join('')).toBe('One two ');
    expect(JSON.stringify(errors)).toContain('broke off its answer');
  });
});

describe('without a router', () => {
  const bare = new TestApp({ SANDBOX_ENABLED: 'false' }, 'api');
  let own: string;

  beforeAll(async () => {
    await bare.start();
    const others = new Make(bare);
    own = await others.key(await others.person());
  });

  afterAll(() => bare.stop());

  it('answers once that no router is configured, and clients do not send again', async () => {
    let sent = 0;
    const fetchOnce: typeof fetch = (...asked) => {
      sent++;
      return fetch(...asked);
    };
    const client = new OpenAI({ apiKey: own, baseURL: `${bare.url}/api/v1/ai`, fetch: fetchOnce });
    const refusal = await refusalOf<InternalServerError>(
      client.chat.completions.create({ model: MODEL, messages: MESSAGES }),
    );
    expect(refusal).toMatchObject({ status: 503, code: 'model_router_not_configured' });
    expect(refusal.headers.get('x-should-retry')).toBe('false');
    expect(sent).toBe(1);
    expect(await all(client.models.list())).toEqual([]);
  });
});
