import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { client, signUpWithKey } from '../support/built-client.js';
import { FakeModelRouter, Gate } from '../support/fake-model-router.js';
import { Make } from '../support/make.js';
import { eventually, TestApp } from '../support/test-app.js';

const { InsufficientCreditsError, NotFoundError, Service, ServiceError, ValidationError } = client;
type Client = InstanceType<typeof Service>;
type Stream = Awaited<ReturnType<typeof streamed>>;

const MODEL = 'fake/small';
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 } as const;

const settings: NodeJS.ProcessEnv = { ANONYMOUS_CALLS_PER_SECOND: '1000', SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'api');
let service: Client;
let organizationId: string;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  const account = await signUpWithKey(app.url);
  organizationId = account.organizationId;
  service = new Service({ apiKey: account.apiKey, baseUrl: app.url, maxRetries: 0 });
});
afterAll(() => app.stop());

const streamed = (options: { signal?: AbortSignal } = {}) =>
  service.ai.chat.completions.create(
    { ...HELLO, stream: true, stream_options: { include_usage: true } },
    { signal: options.signal },
  );
async function textOf(stream: Stream, take = Infinity): Promise<string> {
  let text = '';
  let count = 0;
  for await (const { choices } of stream) {
    text += choices[0]?.delta.content ?? '';
    if (++count === take) break;
  }
  return text;
}
const generation = async (id: string): Promise<Awaited<ReturnType<Client['ai']['generations']['retrieve']>>> => {
  let found: Awaited<ReturnType<Client['ai']['generations']['retrieve']>> | undefined;
  await eventually(async () => {
    found = await service.ai.generations.retrieve(id).catch(() => undefined);
    return found !== undefined;
  }, `${id} has ended`);
  return found!;
};
const thrownBy = (promise: Promise<unknown>): Promise<any> => promise.then(undefined, (error: unknown) => error);

describe('the models of the built client', () => {
  it('are called by a policy, with keys of the organization, and their texts are kept on request', async () => {
    expect(await service.ai.policy.get()).toMatchObject({ allowed_models: null, retention_days: null });
    expect(await service.ai.policy.set({ allowed_models: ['fake/*'], retention_days: 1 })).toMatchObject({
      allowed_models: ['fake/*'],
    });
    const { generation_id: id } = await service.ai.chat.completions.create(HELLO);
    await generation(id);
    // They are written a moment after the answer has ended.
    await eventually(
      () =>
        service.ai.generations.content(id).then(
          () => true,
          () => false,
        ),
      'the texts are there',
    );
    expect((await service.ai.generations.content(id)).request.text).toContain('Say hello.');
    await service.ai.policy.reset();
    expect(await thrownBy(service.ai.generations.content(id))).toMatchObject({ code: 'generation_content_not_found' });

    await service.ai.providers.setKey('openrouter', 'sk-or-of-our-own-account');
    expect(await service.ai.providers.list()).toMatchObject([{ id: 'openrouter', key: { last4: 'ount' } }]);
    expect(await thrownBy(service.ai.chat.completions.create(HELLO))).toMatchObject({ code: 'provider_key_refused' });
    await service.ai.providers.removeKey('openrouter');
    expect(await thrownBy(service.ai.providers.removeKey('openrouter'))).toBeInstanceOf(NotFoundError);
  });

  it('are listed with their prices, without a key too, and found by an ID with a slash', async () => {
    const models = await new Service({ anonymous: true, baseUrl: app.url }).ai.models.list();
    expect(models.map(({ id }) => id)).toEqual(['fake/embeddings', MODEL]);
    expect(await service.ai.models.retrieve(MODEL)).toMatchObject({
      id: MODEL,
      pricing: { input: '1', output: '2' },
      context_length: 32_768,
    });
    expect(await thrownBy(service.ai.models.retrieve('fake/none'))).toBeInstanceOf(NotFoundError);
  });
});

describe('chat.completions.create of the built client', () => {
  it('returns the answer with its cost and its generation', async () => {
    const answer = await service.ai.chat.completions.create({ ...HELLO, seed: 7 });
    expect(answer.choices[0]!.message.content).toBe('Hello from the fake.');
    expect(router.calls[0]!.body).toMatchObject({ seed: 7, max_tokens: 50 });
    const { cost, tokens } = await generation(answer.generation_id);
    expect(answer.usage).toMatchObject({ completion_tokens: tokens.output, cost: Number(cost) });
    expect((await service.ai.generations.list({ limit: 1 })).data[0]).toMatchObject({ id: answer.generation_id });
  });

  it('yields the chunks of a stream as they arrive, and the usage at the end', async () => {
    const gate = new Gate();
    router.next({ text: 'One two three', comments: 2, after: { frames: 1, gate } });
    const stream = await streamed();
    const texts: string[] = [];
    let cost: number | undefined;
    for await (const { choices, usage } of stream) {
      const text = choices[0]?.delta.content ?? '';
      if (text !== '') texts.push(text);
      // The model goes on only after the first word was read here.
      if (texts.length === 1) gate.letGo();
      cost = usage?.cost ?? cost;
    }
    expect(texts.join('')).toBe('One two three');
    expect(texts.length).toBe(3);
    expect(cost).toBe(Number((await generation(stream.generationId)).cost));
  });

  it('hangs up when the loop is left, and what was generated is charged', async () => {
    router.next({ text: 'One two three four five', neverEnds: true });
    const stream = await streamed();
    expect(await textOf(stream, 3)).toContain('One');
    expect(await generation(stream.generationId)).toMatchObject({ outcome: 'cancelled' });
  });

  it('ends the loop on cancel, and throws the reason of a signal', async () => {
    const gate = new Gate();
    router.alwaysFor(MODEL, { text: 'One two three', after: { frames: 2, gate } });
    const cancelled = await streamed();
    const whole = textOf(cancelled);
    await gate.reached;
    await cancelled.cancel();
    expect('One two three').toContain((await whole).trim());

    const stop = new AbortController();
    const aborted = await streamed({ signal: stop.signal });
    const reading = thrownBy(textOf(aborted));
    stop.abort(new Error('No more.'));
    expect(await reading).toMatchObject({ message: 'No more.' });
    gate.letGo();
    for (const { generationId } of [cancelled, aborted])
      expect(['cancelled', 'succeeded']).toContain((await generation(generationId)).outcome);
  });

  it('throws the typed error of an answer that breaks off in the middle', async () => {
    router.next({ text: 'One two three four', errorFrame: { afterFrames: 2, code: 502, message: 'died' } });
    const stream = await streamed();
    const error = await thrownBy(textOf(stream));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      code: 'upstream_error',
      status: 502,
      details: { generation: stream.generationId },
      docsUrl: 'http://api.test/docs/errors/upstream_error',
    });
    expect(await generation(stream.generationId)).toMatchObject({ outcome: 'failed' });
  });

  it('throws the typed errors of refusals, before anything is generated', async () => {
    const create = (body: object): Promise<any> => thrownBy(service.ai.chat.completions.create({ ...HELLO, ...body }));
    expect(await create({ messages: [] })).toBeInstanceOf(ValidationError);
    expect(await create({ model: 'fake/none', stream: true })).toBeInstanceOf(NotFoundError);
    expect(await create({ models: ['a', 'b', 'c', 'd'] })).toMatchObject({ details: [{ path: 'models' }] });
    router.alwaysFor(MODEL, { status: 500 });
    expect(await create({ stream: true })).toMatchObject({ status: 503, code: 'model_unavailable' });
    await new Make(app).sql('UPDATE organizations SET plan = $1 WHERE id = $2', ['free', organizationId]);
    expect(await create({ max_tokens: 4_000_000 })).toBeInstanceOf(InsufficientCreditsError);
  });

  it('only prices a call', async () => {
    const { max_cost: cost, max_tokens: tokens } = await service.ai.chat.completions.price({ ...HELLO, stream: true });
    expect(tokens).toBe(50);
    expect(Number(cost)).toBeGreaterThan(0);
    expect(router.calls).toEqual([]);
  });
});

describe('a stream of the built client', () => {
  const read = async (body: string): Promise<any[]> => {
    const headers = { 'content-type': 'text/event-stream', 'x-service-generation': 'gen_1' };
    const fake = new Service({ apiKey: 'svc_pat_x', fetch: () => Promise.resolve(new Response(body, { headers })) });
    const stream = await fake.ai.chat.completions.create({ ...HELLO, stream: true });
    const chunks: any[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
  const chunk = (reason: string | null): string =>
    `data: {"choices":[{"delta":{"content":"x"},"finish_reason":${JSON.stringify(reason)}}]}`;

  it('may have comments, other line ends, a usage without choices, and no mark of its end', async () => {
    const body = [': wait', '', chunk(null), '', chunk('stop'), '', 'data: {"usage":{"cost":1}}', '', ''];
    const chunks = await read(body.join('\r\n'));
    expect(chunks.map(({ choices }) => choices.length)).toEqual([1, 1, 0]);
    expect(chunks[2].usage.cost).toBe(1);
  });

  it('that ends in the middle of the answer throws, and is no short answer', async () => {
    expect(await thrownBy(read(`${chunk(null)}\n\n`))).toMatchObject({ name: 'TypeError', message: 'terminated' });
    expect(await read(`${chunk(null)}\n\ndata: [DONE]\n\n`)).toHaveLength(1);
  });
});

describe('embeddings.create of the built client', () => {
  it('returns a vector for each text', async () => {
    const {
      data,
      generation_id: id,
      usage,
    } = await service.ai.embeddings.create({
      model: 'fake/embeddings',
      input: ['one', 'two'],
    });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [0.25, -0.5, 0],
      [0.25, -0.5, 1],
    ]);
    expect(usage!.cost).toBe(Number((await generation(id)).cost));
  });
});

describe('a service without a model router', () => {
  const bare = new TestApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' }, 'api');
  beforeAll(() => bare.start());
  afterAll(() => bare.stop());

  it('lists no models, and a call is refused at once, without retries', async () => {
    const { apiKey } = await signUpWithKey(bare.url);
    let attempts = 0;
    const hooks = {
      onRequest: () => {
        attempts++;
      },
    };
    const here = new Service({ apiKey, baseUrl: bare.url, hooks });
    expect(await here.ai.models.list()).toEqual([]);
    attempts = 0;
    const error = await thrownBy(here.ai.chat.completions.create(HELLO));
    expect(error).toMatchObject({ status: 503, code: 'model_router_not_configured' });
    expect(attempts).toBe(1);
  });
});
