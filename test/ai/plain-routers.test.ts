import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { Gate, FakeModelRouter, ROUTER_KEY } from '../support/fake-model-router.js';
import { as, expectStatus, Make } from '../support/make.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';

/** Routers that report no prices, and no usage later: servers with the API of OpenAI, and Anthropic itself. */

const directory = mkdtempSync(join(tmpdir(), 'models-'));
const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false', MODELS_FILE: join(directory, 'models.json') };
const router = new FakeModelRouter();
const app = new TestApp(settings, 'api');
const make = new Make(app);
/** In US dollars for a million tokens. */
const PRICES = { input: '3', output: '15', cache_read: '0.3', cache_write: '3.75' };
const TOKENS = { input: 50, cache_read: 30, cache_write: 20, output: 7 };
const COST = '0.000339';
/** The same tokens, as the fake counts them. */
const USAGE = { prompt: 100, completion: 7, cached: 30, cacheWrite: 20 };
let key: string;

beforeAll(async () => {
  await router.start();
  writeFileSync(join(directory, 'router.key'), ROUTER_KEY);
  const at = { url: router.url, api_key_file: 'router.key' };
  const served = { upstream: 'fake/small', prices: PRICES };
  writeFileSync(
    settings['MODELS_FILE']!,
    JSON.stringify({
      only_listed: true,
      routers: [
        { id: 'anthropic', type: 'anthropic', ...at },
        { id: 'gpu', type: 'openai', free: false, ...at },
      ],
      models: [
        { id: 'claude', router: 'anthropic', ...served },
        { id: 'gpt', router: 'gpu', ...served },
      ],
    }),
  );
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  key = await make.key(await make.person());
});
beforeEach(() => {
  router.reset();
});
afterAll(async () => {
  await app.stop();
  await router.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ask = (protocol: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  app.post(`/api/v1/ai/${protocol}`, body, as(key, { headers }));
const billed = async ({ headers }: Answer): Promise<any> => {
  let found: Answer | undefined;
  await eventually(async () => {
    found = await app.fetch(`/api/v1/ai/generations/${headers.get('x-service-generation')!}`, as(key));
    return found.status === 200;
  }, 'it is billed');
  return found!.body.data;
};

const MESSAGE = { model: 'claude', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
const RESPONSE = { model: 'gpt', max_output_tokens: 50, input: 'Hi' };

it('calls Anthropic with our key and version, and not with those of the caller', async () => {
  const sent = { 'anthropic-version': '2099-01-01', 'anthropic-beta': 'context-1m-2025-08-07' };
  expectStatus(200, await ask('messages', { ...MESSAGE, metadata: { user_id: 'me' } }, sent));
  const { headers, body } = router.calls[0]!;
  expect(headers).toMatchObject({ 'x-api-key': ROUTER_KEY, 'anthropic-version': '2023-06-01' });
  expect(headers).not.toHaveProperty('anthropic-beta');
  expect(JSON.stringify(headers)).not.toContain(key);
  expect(body.metadata.user_id).not.toBe('me');
  expect(body).not.toHaveProperty('provider');
});

it.each(['chat/completions', 'responses'])('refuses models of Anthropic for %s', async (protocol) => {
  const { error } = expectStatus(400, await ask(protocol, { ...MESSAGE, ...RESPONSE, model: 'claude' })).body;
  expect(error).toMatchObject({ details: [{ path: 'model' }] });
  expect(error.message).toContain('It supports messages');
});

describe.each([
  ['messages', MESSAGE, TOKENS, COST],
  // OpenAI does not count what is written to its cache.
  ['responses', RESPONSE, { ...TOKENS, input: 70, cache_write: 0 }, '0.000324'],
])('%s', (protocol, body, tokens, cost) => {
  it.each([false, true])('are billed by the usage in the answer, streamed: %s', async (stream) => {
    router.next({ usage: USAGE });
    const answer = expectStatus(200, await ask(protocol, { ...body, stream }));
    expect(await billed(answer)).toMatchObject({ protocol, tokens, cost, usage_source: 'stream' });
  });

  it.each([false, true])('are counted where an answer has no usage, streamed: %s', async (stream) => {
    router.next({ text: 'One two three', withoutUsage: true });
    const answer = expectStatus(200, await ask(protocol, { ...body, stream }));
    const { tokens: counted, usage_source: source, outcome } = await billed(answer);
    expect({ source, outcome }).toEqual({ source: 'counted', outcome: 'succeeded' });
    expect(counted.output).toBeGreaterThan(0);
    expect(counted.output).toBeLessThan(10);
  });

  it('are read to their end when the caller leaves, and billed', async () => {
    const gate = new Gate();
    router.next({ text: 'word '.repeat(30), after: { frames: 3, gate } });
    const leaving = new AbortController();
    const response = await fetch(`${app.url}/api/v1/ai/${protocol}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
      signal: leaving.signal,
    });
    await gate.reached;
    leaving.abort();
    await response.text().catch(() => undefined);
    gate.letGo();
    const generation = await billed({ headers: response.headers } as Answer);
    expect(generation).toMatchObject({ outcome: 'cancelled', usage_source: 'stream', tokens: { output: 30 } });
    expect(router.lastGeneration).toMatchObject({ hungUp: false, completion: 30 });
  });
});
