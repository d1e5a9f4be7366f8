import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
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

describe('the Responses API of openai', () => {
  const responses = (): OpenAI['responses'] => new OpenAI({ apiKey: key, baseURL: `${app.url}/api/v1/ai` }).responses;
  const tools = [{ type: 'function' as const, name: 'weather', parameters: WEATHER, strict: true }];

  it('answers, whole and in a stream', async () => {
    const answer = await responses().create({ model: MODEL, input: 'Say hello.' });
    expect(answer.output_text).toBe('Hello from the fake.');
    expect(answer.usage).toMatchObject({ output_tokens: 4 });

    const stream = responses().stream({ model: MODEL, input: 'Say hello.' });
    const texts = (await all(stream)).map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect(texts.join('')).toBe('Hello from the fake.');
    const final = await stream.finalResponse();
    expect(final).toMatchObject({ status: 'completed', output_text: 'Hello from the fake.' });
    expect(final.usage).toMatchObject({ output_tokens: 4 });
  });

  it('calls tools, and answers with their results', async () => {
    router.next({ tools: CALLED }, { tools: CALLED }, { text: 'Sunny.' });
    const asked = await responses().create({ model: MODEL, input: 'Weather?', tools });
    expect(asked.output).toMatchObject([{ type: 'function_call', name: 'weather', arguments: '{"city":"Rome"}' }]);
    const streamed = await responses().stream({ model: MODEL, input: 'Weather?', tools }).finalResponse();
    expect(streamed.output).toMatchObject([{ type: 'function_call', name: 'weather', call_id: 'call_1' }]);

    const result = { type: 'function_call_output' as const, call_id: 'call_1', output: '25 °C' };
    const [call] = asked.output as [OpenAI.Responses.ResponseFunctionToolCall];
    const input = [{ role: 'user' as const, content: 'Weather?' }, call, result];
    expect((await responses().create({ model: MODEL, input, tools })).output_text).toBe('Sunny.');
    expect(router.calls.at(-1)!.body.input.at(-1)).toEqual(result);
  });

  it('sends schemas and pictures', async () => {
    router.next({ text: '{"city":"Rome"}' });
    const format = { type: 'json_schema' as const, name: 'place', strict: true, schema: WEATHER };
    const picture = { type: 'input_image' as const, image_url: PICTURE, detail: 'auto' as const };
    const answer = await responses().parse({
      model: MODEL,
      input: [{ role: 'user', content: [picture] }],
      text: { format },
    });
    expect(answer.output_parsed).toEqual({ city: 'Rome' });
    expect(router.calls[0]!.body).toMatchObject({ text: { format }, input: [{ content: [picture] }] });
  });

  it('raises on refusals, and when a stream breaks', async () => {
    const kept = await refusalOf<APIError>(responses().create({ model: MODEL, input: 'Hi', store: true }));
    expect(kept).toMatchObject({ status: 400, code: 'invalid_request', error: { details: [{ path: 'store' }] } });
    router.next(BREAKS, BREAKS);
    const raw = await refusalOf<APIError>(all(await responses().create({ model: MODEL, input: 'Hi', stream: true })));
    expect(raw).toBeInstanceOf(APIError);
    expect(raw).toMatchObject({ code: 'upstream_error', type: 'api_error' });
    const helped = await refusalOf<APIError>(responses().stream({ model: MODEL, input: 'Hi' }).finalResponse());
    expect(helped).toMatchObject({ code: 'upstream_error' });
  });
});

describe('@anthropic-ai/sdk', () => {
  const client = (apiKey = key): Anthropic =>
    new Anthropic({ apiKey, authToken: null, baseURL: `${app.url}/api/v1/ai` });
  const HELLO = { model: MODEL, max_tokens: 50, messages: MESSAGES };
  const tools = [{ name: 'weather', input_schema: WEATHER }];

  it('answers, whole and in a stream, with a key in either of its headers', async () => {
    const byToken = new Anthropic({ apiKey: null, authToken: key, baseURL: `${app.url}/api/v1/ai` });
    for (const by of [client(), byToken]) {
      const answer = await by.messages.create({ ...HELLO, system: 'Be brief.' });
      expect(answer.content).toEqual([{ type: 'text', text: 'Hello from the fake.' }]);
      expect(answer).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 4 } });
    }
    const stream = client().messages.stream(HELLO);
    const texts = (await all(stream)).map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
    );
    expect(texts.join('')).toBe('Hello from the fake.');
    expect(await stream.finalMessage()).toMatchObject({
      content: [{ type: 'text', text: 'Hello from the fake.' }],
      stop_reason: 'end_turn',
      usage: { output_tokens: 4 },
    });
  });

  it('calls tools, and answers with their results', async () => {
    router.next({ tools: CALLED }, { tools: CALLED }, { text: 'Sunny.' });
    const called = [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } }];
    const asked = await client().messages.create({ ...HELLO, tools });
    expect(asked).toMatchObject({ stop_reason: 'tool_use', content: called });
    expect(
      (
        await client()
          .messages.stream({ ...HELLO, tools })
          .finalMessage()
      ).content,
    ).toMatchObject(called);

    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: '25 °C' };
    const messages = [
      ...MESSAGES,
      { role: 'assistant' as const, content: asked.content },
      { role: 'user' as const, content: [result] },
    ];
    const answer = await client().messages.create({ ...HELLO, tools, messages });
    expect(answer.content).toMatchObject([{ text: 'Sunny.' }]);
    expect(router.calls.at(-1)!.body.messages.at(-1).content).toEqual([result]);
  });

  it('sends schemas and pictures', async () => {
    router.next({ text: '{"city":"Rome"}' });
    const format = { type: 'json_schema' as const, schema: WEATHER };
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGgo=' };
    const answer = await client().messages.parse({
      ...HELLO,
      messages: [{ role: 'user', content: [{ type: 'image', source }] }],
      output_config: { format },
    });
    expect(answer.content).toMatchObject([{ text: '{"city":"Rome"}' }]);
    const { body } = router.calls[0]!;
    expect(body).toMatchObject({ output_config: { format }, messages: [{ content: [{ type: 'image', source }] }] });
  });

  it('raises on refusals, and when a stream breaks', async () => {
    const refused = (asked: object, by = client()): Promise<AnthropicError> =>
      refusalOf<AnthropicError>(by.messages.create({ ...HELLO, ...asked }));
    expect(await refused({}, client('no-key'))).toMatchObject({ status: 401, type: 'auth_error' });
    const unknown = await refused({ model: 'fake/none' });
    expect(unknown).toBeInstanceOf(AnthropicError);
    expect(unknown).toMatchObject({ status: 404, error: { error: { code: 'model_not_found' } } });
    const poor = client(await make.key(await make.person()));
    expect(await refused({ model: DEAR, max_tokens: 9_000 }, poor)).toMatchObject({
      status: 402,
      error: { error: { code: 'credits_exhausted' } },
    });
    router.next(BREAKS, BREAKS);
    for (const stream of [
      all(await client().messages.create({ ...HELLO, stream: true })),
      client().messages.stream(HELLO).finalMessage(),
    ]) {
      const broken = await refusalOf<AnthropicError>(stream);
      expect(broken).toBeInstanceOf(AnthropicError);
      expect(broken).toMatchObject({ type: 'api_error', error: { error: { code: 'upstream_error' } } });
    }
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
  const bare = new TestApp({}, 'api');
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
    const anthropic = new Anthropic({ apiKey: own, baseURL: `${bare.url}/api/v1/ai`, fetch: fetchOnce });
    const message = anthropic.messages.create({ model: MODEL, max_tokens: 50, messages: MESSAGES });
    expect(await refusalOf<AnthropicError>(message)).toMatchObject({
      status: 503,
      error: { error: { code: 'model_router_not_configured' } },
    });
    expect(sent).toBe(2);
    expect(await all(client.models.list())).toEqual([]);
  });
});
