import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { FakeModelRouter, ROUTER_KEY } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, TestApp } from '../support/test-app.js';

const CHAT = '/api/v1/ai/chat/completions';
const EMBEDDINGS = '/api/v1/ai/embeddings';
const POLICY = '/api/v1/ai/policy';
const MODEL = 'fake/small';
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 };
const DEFAULTS = {
  allowed_models: null,
  denied_models: [],
  zero_retention_only: false,
  blocks_secrets: true,
  retention_days: null,
};

const directory = mkdtempSync(join(tmpdir(), 'models-'));
const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false', MODELS_FILE: join(directory, 'models.json') };
const market = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const local = FakeModelRouter.use({});
const app = new TestApp(settings, 'api');
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  local.models = [{ id: 'upstream' }];
  const server = { type: 'openai', url: local.url, api_key_file: 'key' };
  writeFileSync(join(directory, 'key'), ROUTER_KEY);
  writeFileSync(
    settings['MODELS_FILE']!,
    JSON.stringify({
      routers: [
        { ...server, id: 'quiet', zero_retention: true },
        { ...server, id: 'other' },
      ],
      models: [
        {
          id: 'quiet/model',
          router: 'quiet',
          upstream: 'upstream',
          aliases: ['calm'],
          prices: { input: '1', output: '1' },
        },
        { id: 'other/model', router: 'other', upstream: 'upstream', prices: { input: '1', output: '1' } },
      ],
    }),
  );
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
});
beforeEach(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person);
});
afterAll(async () => {
  await app.stop();
  rmSync(directory, { recursive: true, force: true });
});

const put = (body: object, by: Person | string = person): Promise<Answer> => send(app, ['PUT', POLICY], body, as(by));
const chat = (body: object = {}, headers = {}): Promise<Answer> =>
  app.post(CHAT, { ...HELLO, ...body }, as(key, { headers }));
const refused = async (body: object): Promise<unknown> => {
  const { error } = expectStatus(403, await chat(body)).body;
  expect(error).toMatchObject({ type: 'authorization_error', code: 'model_not_allowed' });
  return error.details;
};

describe('/api/v1/ai/policy', () => {
  it('is the default one until it is set, and again once it is deleted', async () => {
    expect(expectStatus(200, await app.fetch(POLICY, as(person))).body.data).toEqual(DEFAULTS);
    const policy = {
      allowed_models: ['openai/*', '*:free'],
      denied_models: ['openai/gpt-old'],
      zero_retention_only: true,
      blocks_secrets: false,
      retention_days: 7,
    };
    expect(expectStatus(200, await put(policy)).body.data).toEqual({ ...policy, updated_at: expect.any(String) });
    expect((await app.fetch(POLICY, as(person))).body.data).toMatchObject(policy);
    // What is absent has its default again.
    expect(expectStatus(200, await put({ denied_models: ['a'] })).body.data).toMatchObject({
      ...DEFAULTS,
      denied_models: ['a'],
    });
    for (let times = 0; times < 2; times++) expectStatus(204, await app.call('DELETE', POLICY, as(person)));
    expect((await app.fetch(POLICY, as(person))).body.data).toEqual(DEFAULTS);
    const entries = await make.sql(
      "SELECT action, details FROM audit_log WHERE org_id = $1 AND action LIKE 'ai_policy.%' ORDER BY id LIMIT 1",
      [person.organization.id],
    );
    expect(entries).toEqual([
      {
        action: 'ai_policy.set',
        details: { ...policy, allowed_models: 'openai/* *:free', denied_models: 'openai/gpt-old' },
      },
    ]);
  });

  it.each([
    ['no list', { allowed_models: 'openai/*' }, 'allowed_models'],
    ['a pattern with a space', { denied_models: ['a b'] }, 'denied_models'],
    ['too many patterns', { denied_models: Array.from({ length: 101 }, (_, index) => `m${index}`) }, 'denied_models'],
    ['no truth value', { zero_retention_only: 'yes' }, 'zero_retention_only'],
    ['null', { blocks_secrets: null }, 'blocks_secrets'],
    ['no day', { retention_days: 0 }, 'retention_days'],
    ['too many days', { retention_days: 31 }, 'retention_days'],
    ['a part of a day', { retention_days: 1.5 }, 'retention_days'],
  ])('refuses %s', async (_, body, path) => {
    expect(expectStatus(400, await put(body)).body.error.details).toMatchObject([{ path, in: 'body' }]);
  });

  it('needs a caller with the scope, and shows an organization only its own', async () => {
    expectStatus(200, await put({ retention_days: 3 }));
    const reader = await make.key(person, { scopes: ['orgs:read'] });
    const caller = await make.key(person, { scopes: ['ai:invoke'] });
    const statuses = async (by?: string): Promise<number[]> => {
      const options = by === undefined ? {} : as(by);
      const answers = [
        await app.fetch(POLICY, options),
        await send(app, ['PUT', POLICY], {}, options),
        await app.call('DELETE', POLICY, options),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([401, 401, 401]);
    expect(await statuses(reader)).toEqual([200, 403, 403]);
    expect(await statuses(caller)).toEqual([403, 403, 403]);
    const other = await make.person();
    expect((await app.fetch(POLICY, as(other))).body.data).toEqual(DEFAULTS);
    const there = as(other, { headers: { 'x-service-org': person.organization.id } });
    expectStatus(403, await app.fetch(POLICY, there));
    expectStatus(204, await app.call('DELETE', POLICY, as(other)));
    expect((await app.fetch(POLICY, as(person))).body.data.retention_days).toBe(3);
  });
});

describe('the models of a policy', () => {
  it('are the only ones that calls get, and a denied one is none of them', async () => {
    expectStatus(200, await put({ allowed_models: ['fake/*'], denied_models: ['*/embeddings'] }));
    expectStatus(200, await chat());
    expect(await refused({ model: 'other/model' })).toEqual({ model: 'other/model', reason: 'not_allowed' });
    const embed = await app.post(EMBEDDINGS, { model: 'fake/embeddings', input: 'one' }, as(key));
    expect(expectStatus(403, embed).body.error.details).toEqual({ model: 'fake/embeddings', reason: 'denied' });
    expectStatus(403, await chat({ model: 'other/model' }, { 'dry-run': 'true' }));
    expect(market.calls).toHaveLength(1);
    expect(local.calls).toEqual([]);
    expect(await make.sql("SELECT 1 FROM holds WHERE state = 'held'")).toEqual([]);

    expectStatus(200, await put({ allowed_models: [] }));
    expect(await refused({})).toEqual({ model: MODEL, reason: 'not_allowed' });
    expectStatus(204, await app.call('DELETE', POLICY, as(person)));
    expectStatus(200, await chat({ model: 'other/model' }));
  });

  it('hold for fallbacks and for what an alias stands for', async () => {
    expectStatus(200, await put({ denied_models: ['quiet/*'] }));
    expect(await refused({ models: ['other/model', 'quiet/model'] })).toEqual({
      model: 'quiet/model',
      reason: 'denied',
    });
    expect(await refused({ model: 'calm' })).toEqual({ model: 'quiet/model', reason: 'denied' });
    expectStatus(200, await put({ denied_models: ['calm'] }));
    expectStatus(200, await chat({ model: 'calm' }));
  });

  it('do not hide models from the public list', async () => {
    expectStatus(200, await put({ allowed_models: [] }));
    expect((await app.fetch('/api/v1/ai/models', as(key))).body.data.map(({ id }: any) => id)).toContain(MODEL);
    expectStatus(200, await app.fetch(`/api/v1/ai/models/${MODEL}`, as(key)));
  });

  it('cannot be replaced by what the account of the operator has stored at its router', async () => {
    expectStatus(200, await chat({ preset: 'anything', route: 'fallback' }));
    expect(Object.keys(market.calls[0]!.body)).not.toEqual(expect.arrayContaining(['preset']));
    expect(market.calls[0]!.body.route).toBeUndefined();
  });
});

describe('zero retention', () => {
  it('is asked of OpenRouter, whatever the caller asks for', async () => {
    const provider = { data_collection: 'allow', zdr: false, only: ['somewhere'] };
    expectStatus(200, await chat({ provider }));
    expect(market.calls.at(-1)!.body.provider).toMatchObject(provider);
    expectStatus(200, await put({ zero_retention_only: true }));
    for (const sent of [{ provider }, { provider: 'allow' }, {}]) expectStatus(200, await chat(sent));
    const asked = market.calls.slice(1).map(({ body }) => body.provider);
    for (const each of asked) expect(each).toMatchObject({ data_collection: 'deny', zdr: true, max_price: {} });
    expect(asked[0].only).toEqual(['somewhere']);
  });

  it('leaves out routers that are not marked', async () => {
    expectStatus(200, await put({ zero_retention_only: true }));
    expectStatus(200, await chat({ model: 'quiet/model' }));
    expect(local.calls.at(-1)!.body.provider).toBeUndefined();
    expect(await refused({ model: 'other/model' })).toEqual({ model: 'other/model', reason: 'zero_retention' });
    expect(await refused({ models: ['other/model'] })).toEqual({ model: 'other/model', reason: 'zero_retention' });
    expect(local.calls).toHaveLength(1);
  });
});

describe('a key of the service in a request', () => {
  const secret = async (body: object, path = CHAT, headers = {}): Promise<any> => {
    const answer = expectStatus(400, await app.post(path, body, as(key, { headers })));
    expect(answer.text).not.toContain(key);
    expect(answer.text).not.toContain(key.slice(8, 30));
    return answer.body.error;
  };
  const said = (content: unknown): object => ({ ...HELLO, messages: [{ role: 'system', content: 'a' }, { content }] });

  it('is refused with its place, and is sent to no model', async () => {
    expect(await secret(said(`Use ${key}, please.`))).toMatchObject({
      type: 'validation_error',
      code: 'secret_in_prompt',
      details: [{ path: 'messages[1].content', in: 'body', code: 'contains_key' }],
    });
    expect((await secret(said([{ type: 'text', text: person.sessionToken }]))).details[0].path).toBe(
      'messages[1].content[0].text',
    );
    const escaped = JSON.stringify({ key }).replaceAll('_', '\\u005f');
    expect((await secret(said(escaped))).code).toBe('secret_in_prompt');
    const embedded = { model: 'fake/embeddings', input: ['a', key] };
    expect((await secret(embedded, EMBEDDINGS)).details[0].path).toBe('input[1]');
    expect((await secret(said(key), CHAT, { 'dry-run': 'true' })).code).toBe('secret_in_prompt');
    expect((await secret(said(key), CHAT, { 'idempotency-key': uniqueName('key') })).code).toBe('secret_in_prompt');
    expect((await secret({ ...said(key), stream: true })).code).toBe('secret_in_prompt');
    expect(market.calls).toEqual([]);
  });

  it('is found also when the bytes of the body escape it', async () => {
    const text = JSON.stringify(said(key)).replaceAll('_', '\\u005F');
    const options = as(key, { headers: { 'content-type': 'application/json' } });
    const answer = await app.call('POST', CHAT, { ...options, body: text });
    expect(expectStatus(400, answer).body.error.code).toBe('secret_in_prompt');
  });

  it('is none without a correct checksum', async () => {
    const wrong = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    expectStatus(200, await chat(said(wrong)));
    expectStatus(200, await chat(said(`svc_pat_${'x'.repeat(39)}`)));
  });

  it('is allowed by a policy that does not block secrets', async () => {
    expectStatus(200, await put({ blocks_secrets: false }));
    expectStatus(200, await chat(said(key)));
    expect(market.calls).toHaveLength(1);
  });
});

describe('every way to call a model', () => {
  const ways: readonly [path: string, body: (text: string) => object, place: string][] = [
    [CHAT, (text) => ({ ...HELLO, messages: [{ role: 'user', content: text }] }), 'messages[0].content'],
    [EMBEDDINGS, (text) => ({ model: 'fake/embeddings', input: text }), 'input'],
    ['/api/v1/ai/responses', (text) => ({ model: MODEL, input: text, max_output_tokens: 50 }), 'input'],
    [
      '/api/v1/ai/messages',
      (text) => ({ model: MODEL, max_tokens: 50, messages: [{ role: 'user', content: text }] }),
      'messages[0].content',
    ],
  ];

  it.each(ways)('%s keeps to the policy', async (path, bodyOf, place) => {
    const ask = (body: object): Promise<Answer> => app.post(path, body, as(key));
    const leak = expectStatus(400, await ask(bodyOf(`Use ${key}.`)));
    expect(leak.body.error).toMatchObject({ code: 'secret_in_prompt', details: [{ path: place }] });
    expectStatus(200, await put({ denied_models: ['fake/*'] }));
    expect(expectStatus(403, await ask(bodyOf('Hello'))).body.error.code).toBe('model_not_allowed');
    expect(market.calls).toEqual([]);
    expectStatus(200, await put({ zero_retention_only: true }));
    expectStatus(200, await ask({ ...bodyOf('Hello'), provider: { zdr: false }, preset: 'mine' }));
    const { body } = market.calls[0]!;
    expect(body.provider).toMatchObject({ data_collection: 'deny', zdr: true });
    expect(body.preset).toBeUndefined();
  });
});
