import { text } from 'node:stream/consumers';
import type { OfferedModel } from '../../src/modules/ai/domain/offered-model.js';
import { AnthropicRouter } from '../../src/modules/ai/routers/anthropic.js';
import { type ModelRouter, PROTOCOLS, type RouterRequest } from '../../src/modules/ai/routers/model-router.js';
import type { ModelRouters } from '../../src/modules/ai/routers/model-routers.js';
import { OpenAiCompatibleRouter } from '../../src/modules/ai/routers/openai-compatible.js';
import { OpenRouter } from '../../src/modules/ai/routers/openrouter.js';
import { ROUTER_TIME_LIMITS } from '../../src/modules/ai/routers/router-connection.js';
import { ModelSender, type SentRequest } from '../../src/modules/ai/routing/model-sender.js';
import { planRoute } from '../../src/modules/ai/routing/route-plan.js';
import type { RoutingMetrics } from '../../src/modules/ai/routing/routing.metrics.js';
import type { Log } from '../../src/platform/logging/log.js';
import { SystemClock } from '../../src/platform/time/clock.js';
import { FakeModelRouter, Gate, ROUTER_KEY } from '../support/fake-model-router.js';

const market = FakeModelRouter.use({}, { speaks: 'openrouter' });
const local = FakeModelRouter.use({});
const lines: object[] = [];
const log = Object.fromEntries(
  ['info', 'warn', 'error', 'debug'].map((level) => [level, (fields: object) => lines.push({ level, ...fields })]),
) as unknown as Log;
const refusals: unknown[] = [];
const attempts: unknown[] = [];
const metrics = {
  attempted: (...attempt: unknown[]) => attempts.push(attempt),
  fellBack: () => undefined,
  breakersOpen: () => undefined,
  accountRefused: (...refusal: unknown[]) => refusals.push(refusal),
} as unknown as RoutingMetrics;

let routers: Map<string, ModelRouter>;
const clock = new SystemClock();
let laterMs = 0;
let sender: ModelSender;
const never = new AbortController().signal;

beforeEach(() => {
  routers = new Map(
    [
      new OpenRouter({ id: 'market', url: market.url, apiKey: ROUTER_KEY }),
      new OpenAiCompatibleRouter({ id: 'local', url: local.url, apiKey: ROUTER_KEY }),
      new AnthropicRouter({ id: 'anthropic', url: local.url, apiKey: ROUTER_KEY }),
    ].map((router: ModelRouter) => [router.id, router]),
  );
  sender = new ModelSender(
    {
      find: (id: string) => routers.get(id),
      withoutKeys: (words: string) => words.replaceAll(ROUTER_KEY, '[key]'),
    } as ModelRouters,
    { now: () => new Date(clock.now().getTime() + laterMs) },
    log,
    metrics,
  );
  lines.length = 0;
  refusals.length = 0;
  attempts.length = 0;
});
afterEach(async () => {
  await Promise.all([...routers.values()].map((router) => router.close()));
});

const model = (router: string, id = 'fake/small'): OfferedModel => ({
  id: `${router}/model`,
  name: id,
  router,
  upstreamId: id,
  contextTokens: null,
  maxOutputTokens: null,
  inputModalities: ['text'],
  outputModalities: ['text'],
  protocols: PROTOCOLS,
  pricesNano: {},
  upstreamPricesNano: null,
  expiresAt: null,
});

const body = (upstream: string, fields: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ model: upstream, messages: [{ role: 'user', content: 'Hi' }], ...fields }));
const request = (fields: object = {}, apiKey?: string): SentRequest => ({
  bodyFor: ({ upstreamId }) => body(upstreamId, fields),
  apiKeyFor: () => apiKey,
});
function planOf(...models: readonly OfferedModel[]) {
  const [first, ...others] = models;
  return planRoute({ protocol: 'chat_completions', model: first!.id, models: others.map(({ id }) => id) }, (id) =>
    models.find((each) => each.id === id)!,
  );
}
const send = (fields: object = {}, ...models: readonly OfferedModel[]) =>
  sender.send(planOf(...(models.length === 0 ? [model('market')] : models)), request(fields), never);

describe('the adapters of routers', () => {
  const ask = (protocol: RouterRequest['protocol'], upstream: string, fields: object = {}): RouterRequest => ({
    protocol,
    model: upstream,
    body: body(upstream, fields),
  });

  it.each(PROTOCOLS)('pass the bytes of %s through, over connections that are kept', async (protocol) => {
    const upstream = protocol === 'embeddings' ? 'fake/embeddings' : 'fake/small';
    const router = routers.get('local')!;
    const before = local.connections;
    for (const stream of [false, true, false, true]) {
      const sent = ask(protocol, upstream, stream && protocol !== 'embeddings' ? { stream } : { input: 'Hi' });
      const response = await router.send(sent, never);
      expect(response.status).toBe(200);
      const received = await text(response.body);
      expect(received).toContain(upstream);
      if (stream && protocol !== 'embeddings') expect(response.contentType).toBe('text/event-stream');
      expect(local.calls.at(-1)!.bytes).toEqual(sent.body);
    }
    // The one of a request may still be occupied for a moment when its last byte has arrived.
    expect(local.connections - before).toBeLessThanOrEqual(2);
  });

  it('send the key of the operator, or that of an organization in its place', async () => {
    local.keys.add('sk-own');
    for (const router of ['local', 'anthropic']) {
      const own = { ...ask('messages', 'fake/small'), apiKey: 'sk-own' };
      await (await routers.get(router)!.send(own, never)).body.resume().toArray();
    }
    expect(local.calls.map(({ headers }) => [headers.authorization, headers['x-api-key']])).toEqual([
      ['Bearer sk-own', undefined],
      [undefined, 'sk-own'],
    ]);
    expect(local.calls[1]!.headers['anthropic-version']).toBe('2023-06-01');
  });

  it('list what routers offer', async () => {
    expect((await routers.get('market')!.models(never))[0]).toMatchObject({
      id: 'fake/small',
      pricesNano: { input: 1_000_000_000n, output: 2_000_000_000n, cache_read: 100_000_000n },
    });
    expect((await routers.get('local')!.models(never))[0]).toMatchObject({ pricesNano: { input: 0n, output: 0n } });
    expect((await routers.get('anthropic')!.models(never))[0]).toMatchObject({ pricesNano: null });
    local.listFailure = { status: 200, body: 'no JSON' };
    await expect(routers.get('local')!.models(never)).rejects.toThrow('something other than JSON');
    local.listFailure = { status: 302 };
    await expect(routers.get('local')!.models(never)).rejects.toThrow('status 302');
  });

  it('tell what a generation has used once the router knows it', async () => {
    market.unknownGenerationAnswers = 1;
    market.next({ usage: { prompt: 100, cached: 40, completion: 7 } });
    const response = await routers.get('market')!.send(ask('chat_completions', 'fake/small'), never);
    await text(response.body);
    const { generationId } = response;
    expect(await routers.get('market')!.usageOf(generationId!, never)).toBeUndefined();
    const usage = await routers.get('market')!.usageOf(generationId!, never);
    expect(usage).toEqual({
      tokens: { input: 60, cache_read: 40, output: 7 },
      costNano: market.lastGeneration.costNano,
      model: 'fake/small',
    });
  });

  it('end with their caller, and the router notices', async () => {
    const gate = new Gate();
    market.next({ text: 'one two three', after: { frames: 1, gate } });
    const hangUp = new AbortController();
    const response = await routers
      .get('market')!
      .send(ask('chat_completions', 'fake/small', { stream: true }), hangUp.signal);
    response.body.on('error', () => undefined);
    response.body.resume();
    await gate.reached;
    const closed = new Promise((resolve) => response.body.once('close', resolve));
    hangUp.abort(new Error('The caller left.'));
    await closed;
    expect(market.lastGeneration.isOver).toBe(false);
    gate.letGo();
  });

  it('give up on a router that sends nothing in time', async () => {
    const slow = new OpenAiCompatibleRouter({
      id: 'slow',
      url: local.url,
      apiKey: ROUTER_KEY,
      limits: { ...ROUTER_TIME_LIMITS, whole: 50 },
    });
    const gate = new Gate();
    local.next({ before: gate });
    await expect(slow.send(ask('chat_completions', 'fake/small'), never)).rejects.toThrow('took longer');
    gate.letGo();
    await slow.close();
  });
});

describe('sending to models', () => {
  it.each([
    ['an answer', {}, {}],
    ['a stream', { stream: true }, {}],
    ['a stream with comments', { stream: true }, { comments: 3 }],
  ])('passes %s on, byte for byte', async (_, fields, script) => {
    market.next({ text: 'Some words, more or less.', ...script });
    const { response, model: answered, tries, firstByteMs } = await send(fields);
    expect({ tries, id: answered.id }).toEqual({ tries: 1, id: 'market/model' });
    expect(firstByteMs).toBeGreaterThan(0);
    const received = await text(response.body);
    if ('stream' in fields) {
      expect(received.startsWith('comments' in script ? ': OPENROUTER PROCESSING\n\n: ' : 'data: {"id"')).toBe(true);
      expect(received.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(received.match(/"content":"[^"]+"/g)).toHaveLength(5);
    } else {
      expect(JSON.parse(received)).toMatchObject({ choices: [{ message: { content: 'Some words, more or less.' } }] });
    }
  });

  it.each([
    ['a closed connection', { hangsUp: true }],
    ['status 408', { status: 408 }],
    ['status 429', { status: 429 }],
    ['status 500', { status: 500 }],
    ['status 503 with HTML', { status: 503, body: '<html>' }],
    ['an error under 200', { errorUnder200: { code: 502, message: 'Provider returned error' } }],
    ['a body that breaks at once', { breaksAfterBytes: 0 }],
  ])('tries again after %s, streamed or not', async (_, script) => {
    for (const fields of [{}, { stream: true }]) {
      market.next(script);
      const { tries, response } = await send(fields);
      expect(tries).toBe(2);
      expect(await text(response.body)).toContain('Hello');
    }
  });

  it('asks the next model after two attempts, also at another router', async () => {
    market.alwaysFor('fake/small', { status: 500 });
    const { model: answered, tries } = await send({}, model('market'), model('local'));
    expect([answered.router, tries]).toEqual(['local', 3]);
    expect(JSON.parse(local.calls[0]!.bytes.toString())).toMatchObject({ model: 'fake/small' });
  });

  it('fails when no model answers, and passes on how long to wait', async () => {
    market.alwaysFor('fake/small', { status: 429, headers: { 'Retry-After': '17' } });
    await expect(send()).rejects.toMatchObject({ code: 'model_unavailable', help: { retryAfterSeconds: 17 } });
    expect(market.calls).toHaveLength(2);
  });

  it.each([401, 402, 403])('takes %i for a fault of our account: logged, counted and not repeated', async (status) => {
    market.next({ status });
    await expect(send()).rejects.toMatchObject({ code: 'model_unavailable', status: 503 });
    expect(market.calls).toHaveLength(1);
    expect(refusals).toEqual([['market', status]]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', router: 'market', status }));
  });

  it('does not take a budget that is in use for a moment for an empty account', async () => {
    market.next({ status: 402, headers: { 'Retry-After': '3' } });
    await expect(send()).rejects.toMatchObject({ code: 'model_unavailable', help: { retryAfterSeconds: 3 } });
    expect(refusals).toEqual([]);
  });

  it.each([400, 404, 413, 422])('passes the message of %i on, without any key', async (status) => {
    const message = `Too long ${'x'.repeat(600)}`;
    market.next({ status, body: { error: { message: `Bad key ${ROUTER_KEY}. ${message}` } } });
    const error = await send().catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400 });
    expect((error as Error).message).toContain('Too long');
    expect((error as Error).message).not.toContain(ROUTER_KEY);
    expect((error as Error).message.length).toBeLessThan(600);
    expect(market.calls).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(ROUTER_KEY);
  });

  it('takes a refused key of an organization for its own fault', async () => {
    const sent = sender.send(planOf(model('market')), request({}, 'sk-wrong-key-of-an-organization'), never);
    await expect(sent).rejects.toMatchObject({
      code: 'provider_key_refused',
      status: 400,
      help: { details: { provider: 'market', status: 401 } },
    });
    expect(market.calls).toHaveLength(1);
    expect(refusals).toEqual([]);
    expect(lines).toEqual([]);
    expect(attempts).toEqual([['market', 'refused']]);
  });

  it('takes the rate limit of an own key for no failure of the router', async () => {
    market.keys.add('sk-own-key-of-an-organization');
    const limited = { status: 429, headers: { 'Retry-After': '7' } };
    market.next(limited, limited, { status: 500 }, {});
    const own = request({}, 'sk-own-key-of-an-organization');
    await expect(sender.send(planOf(model('market')), own, never)).rejects.toMatchObject({ status: 503 });
    expect((await sender.send(planOf(model('market')), own, never)).tries).toBe(2);
    expect(attempts.map((attempt) => (attempt as string[])[1])).toEqual(['refused', 'refused', 'failed', 'answered']);
  });

  it('stops at once when the caller leaves', async () => {
    const gate = new Gate();
    market.next({ before: gate });
    const hangUp = new AbortController();
    const sent = sender.send(planOf(model('market')), request(), hangUp.signal);
    await gate.reached;
    hangUp.abort(new Error('The caller left.'));
    await expect(sent).rejects.toThrow('The caller left.');
    gate.letGo();
    expect(market.calls).toHaveLength(1);
  });

  it('leaves a model that fails alone for a while, and then tries it once', async () => {
    market.alwaysFor('fake/small', { status: 401 });
    for (let call = 0; call < 10; call++) await expect(send()).rejects.toThrow('unavailable');
    await expect(send()).rejects.toMatchObject({ help: { retryAfterSeconds: 15 } });
    expect(market.calls).toHaveLength(10);
    expect((await send({}, model('market'), model('local'))).model.router).toBe('local');
    laterMs = 16_000;
    market.reset();
    expect((await send()).tries).toBe(1);
    laterMs = 0;
  });

  it('cannot be stopped for all by the wrong key of one organization', async () => {
    for (let call = 0; call < 12; call++)
      await expect(
        sender.send(planOf(model('market')), request({}, 'sk-wrong-key-of-an-organization'), never),
      ).rejects.toMatchObject({ code: 'provider_key_refused' });
    expect((await send()).tries).toBe(1);
  });
});
