import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { Database } from '../../src/platform/database/database.js';
import { formatUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { FakeModelRouter, ROUTER_KEY } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';

const CHAT = '/api/v1/ai/chat/completions';
const PROVIDERS = '/api/v1/ai/providers';
const KEY = `${PROVIDERS}/openrouter/key`;
const MODEL = 'fake/small';
const OTHER_MODEL = 'own/model';
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 };
const OWN_KEY = 'sk-of-an-organization-abcd';
const SECRETS_KEY = 'o'.repeat(40);

const directory = mkdtempSync(join(tmpdir(), 'models-'));
const settings: NodeJS.ProcessEnv = {
  SANDBOX_ENABLED: 'false',
  MODELS_FILE: join(directory, 'models.json'),
  SECRETS_KEY: `1:${SECRETS_KEY}`,
};
const market = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const local = FakeModelRouter.use({});
const app = new TestApp(settings, 'all');
const make = new Make(app);

beforeAll(async () => {
  local.models = [{ id: OTHER_MODEL }, { id: 'gpu/model' }];
  const prices = { input: '1', output: '1' };
  writeFileSync(join(directory, 'key'), ROUTER_KEY);
  const server = { type: 'openai', url: local.url, api_key_file: 'key' };
  writeFileSync(
    settings['MODELS_FILE']!,
    JSON.stringify({
      routers: [
        { ...server, id: 'own', own_keys: true },
        { ...server, id: 'gpu' },
      ],
      models: [
        { id: OTHER_MODEL, router: 'own', prices },
        { id: 'gpu/model', router: 'gpu', prices },
      ],
    }),
  );
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
}, 60_000);

afterEach(async () => {
  await eventually(
    async () => (await make.sql("SELECT 1 FROM holds WHERE state = 'held'")).length === 0,
    'nothing is held',
  );
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
  expect(JSON.stringify(app.log())).not.toContain(OWN_KEY);
});

afterAll(async () => {
  await app.stop();
  rmSync(directory, { recursive: true, force: true });
});

const put = (body: object, by: Person | string, path = KEY): Promise<Answer> => send(app, ['PUT', path], body, as(by));
const chat = (by: string, body: object = HELLO, headers = {}): Promise<Answer> =>
  app.post(CHAT, body, as(by, { headers }));
const idOf = ({ headers }: Answer): string => headers.get('x-service-generation')!;
const billed = async (id: string, by: string): Promise<any> => {
  let found: Answer | undefined;
  await eventually(async () => {
    found = await app.fetch(`/api/v1/ai/generations/${id}`, as(by));
    return found.status === 200;
  }, `${id} is billed`);
  return found!.body.data;
};
const authorizations = (fake: FakeModelRouter): unknown[] => fake.calls.map(({ headers }) => headers.authorization);

/** A person whose organization has the key for OpenRouter. */
async function withKey(): Promise<{ person: Person; key: string; orgId: string }> {
  const person = await make.person({ plan: 'pro' });
  expectStatus(200, await put({ api_key: OWN_KEY }, person));
  market.keys.add(OWN_KEY);
  return { person, key: await make.key(person), orgId: person.organization.id };
}

describe('/api/v1/ai/providers/:provider_id/key', () => {
  it('sets, shows and deletes a key, of which nothing but its end is ever shown', async () => {
    const person = await make.person();
    expect(expectStatus(404, await app.fetch(KEY, as(person))).body.error.code).toBe('provider_key_not_found');
    const answers = [await put({ api_key: OWN_KEY }, person), await app.fetch(KEY, as(person))];
    for (const answer of answers)
      expect(expectStatus(200, answer).body.data).toEqual({
        provider: 'openrouter',
        last4: 'abcd',
        set_at: expect.any(String),
      });
    const listed = expectStatus(200, await app.fetch(PROVIDERS, as(person)));
    expect(listed.body.data).toEqual([
      { id: 'own', type: 'openai', takes_own_keys: true, has_service_key: true },
      { id: 'gpu', type: 'openai', takes_own_keys: false, has_service_key: true },
      {
        id: 'openrouter',
        type: 'openrouter',
        takes_own_keys: true,
        has_service_key: true,
        key: { provider: 'openrouter', last4: 'abcd', set_at: expect.any(String) },
      },
    ]);
    expectStatus(200, await put({ api_key: `${OWN_KEY}-2` }, person));
    expect((await app.fetch(KEY, as(person))).body.data.last4).toBe('cd-2');
    const [row] = await make.sql('SELECT sealed FROM provider_keys WHERE org_id = $1', [person.organization.id]);
    expect((row!['sealed'] as Buffer).toString('latin1')).not.toContain('organization');
    expectStatus(204, await app.call('DELETE', KEY, as(person)));
    expectStatus(404, await app.call('DELETE', KEY, as(person)));
    const entries = await make.sql(
      "SELECT action, details FROM audit_log WHERE org_id = $1 AND action LIKE 'provider_key.%' ORDER BY id",
      [person.organization.id],
    );
    expect(entries).toEqual([
      { action: 'provider_key.set', details: { provider: 'openrouter', last4: 'abcd' } },
      { action: 'provider_key.set', details: { provider: 'openrouter', last4: 'cd-2' } },
      { action: 'provider_key.deleted', details: { provider: 'openrouter', last4: 'cd-2' } },
    ]);
    for (const answer of [...answers, listed]) expect(answer.text).not.toContain(OWN_KEY);
  });

  it('only rehearses a dry run', async () => {
    const person = await make.person();
    const dry = as(person, { headers: { 'dry-run': 'true' } });
    expectStatus(200, await send(app, ['PUT', KEY], { api_key: OWN_KEY }, dry));
    expectStatus(404, await app.fetch(KEY, as(person)));
  });

  it('refuses what cannot be a key, and does not repeat it', async () => {
    const person = await make.person();
    const own = await make.key(person);
    for (const api_key of ['short', `${OWN_KEY}\n`, `${OWN_KEY} more`, own, 7, undefined]) {
      const answer = expectStatus(400, await put({ api_key }, person));
      expect(answer.body.error.details).toMatchObject([{ path: 'api_key', in: 'body' }]);
      for (const secret of [OWN_KEY, own]) expect(answer.text).not.toContain(secret);
    }
    expectStatus(400, await put({ api_key: OWN_KEY, more: 1 }, person));
  });

  it('knows only routers whose keys are those of an account', async () => {
    const person = await make.person();
    for (const id of ['none', 'gpu'])
      for (const answer of [
        await put({ api_key: OWN_KEY }, person, `${PROVIDERS}/${id}/key`),
        await app.fetch(`${PROVIDERS}/${id}/key`, as(person)),
        await app.call('DELETE', `${PROVIDERS}/${id}/key`, as(person)),
      ])
        expect(expectStatus(404, answer).body.error.code).toBe('provider_not_found');
  });

  it('needs a caller with the scope, and shows an organization only its own', async () => {
    const { person } = await withKey();
    const reader = await make.key(person, { scopes: ['billing:read', 'ai:invoke'] });
    const caller = await make.key(person, { scopes: ['ai:invoke'] });
    const calls = (by?: string): Promise<Answer>[] => [
      send(app, ['PUT', KEY], { api_key: OWN_KEY }, by ? as(by) : {}),
      app.call('DELETE', KEY, by ? as(by) : {}),
      app.fetch(KEY, by ? as(by) : {}),
      app.fetch(PROVIDERS, by ? as(by) : {}),
    ];
    expect((await Promise.all(calls())).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await Promise.all(calls(reader))).map(({ status }) => status)).toEqual([403, 403, 200, 200]);
    expect((await Promise.all(calls(caller))).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const other = await make.person();
    expectStatus(404, await app.fetch(KEY, as(other)));
    expectStatus(404, await app.call('DELETE', KEY, as(other)));
    expect((await app.fetch(PROVIDERS, as(other))).text).not.toContain('last4');
    const there = as(other, { headers: { 'x-service-org': person.organization.id } });
    expectStatus(403, await app.fetch(KEY, there));
    expectStatus(200, await app.fetch(KEY, as(person)));
  });
});

describe('a call of a model whose provider has a key of the organization', () => {
  it('is sent with the key, held and charged nothing, and counted by budgets at its list price', async () => {
    const { person, key, orgId } = await withKey();
    const before = (await app.fetch('/api/v1/billing/credits', as(person))).body.data.balance;
    const { id: keyId } = expectStatus(200, await app.fetch('/api/v1/keys/current', as(key))).body.data;
    const budget = `/api/v1/billing/budgets/key:${keyId}`;
    expectStatus(200, await send(app, ['PUT', budget], { window: 'total', limit: '1' }, as(person)));

    const dry = expectStatus(200, await chat(key, HELLO, { 'dry-run': 'true' })).body.data;
    expect(dry.max_cost).toBe('0');
    let listed = 0n;
    for (const stream of [false, true]) {
      const answer = expectStatus(200, await chat(key, { ...HELLO, stream }));
      listed += market.lastGeneration.costNano;
      expect(await billed(idOf(answer), key)).toMatchObject({
        billed_to: 'organization',
        cost: '0',
        outcome: 'succeeded',
        tokens: { output: 4 },
      });
    }
    expect(authorizations(market)).toEqual([`Bearer ${OWN_KEY}`, `Bearer ${OWN_KEY}`]);
    expect(market.calls[0]!.body.provider).toBeUndefined();
    expect((await app.fetch('/api/v1/billing/credits', as(person))).body.data.balance).toBe(before);
    expect(await make.sql('SELECT 1 FROM usage_events WHERE org_id = $1', [orgId])).toEqual([]);
    expect(listed).toBeGreaterThan(0n);
    expect((await app.fetch(budget, as(person))).body.data).toMatchObject({ spent: formatUsd(listed), held: '0' });

    expectStatus(200, await send(app, ['PUT', budget], { window: 'total', limit: '0.00001' }, as(person)));
    expect(expectStatus(402, await chat(key)).body.error.code).toBe('budget_exceeded');
    expect(market.calls).toHaveLength(2);
  });

  it.each([
    ['embeddings', { model: 'fake/embeddings', input: 'one' }],
    ['responses', { model: MODEL, input: 'Say hello.', max_output_tokens: 50 }],
    ['messages', { model: MODEL, messages: HELLO.messages, max_tokens: 50 }],
  ])('costs no credits by the protocol of %s either', async (protocol, body) => {
    const { key } = await withKey();
    const answer = expectStatus(200, await app.post(`/api/v1/ai/${protocol}`, body, as(key)));
    expect(market.calls[0]!.headers.authorization ?? market.calls[0]!.headers['x-api-key']).toContain(OWN_KEY);
    expect(await billed(idOf(answer), key)).toMatchObject({ protocol, billed_to: 'organization', cost: '0' });
  });

  it('needs no credits', async () => {
    const person = await make.person();
    const key = await make.key(person);
    expectStatus(200, await put({ api_key: OWN_KEY }, person));
    market.keys.add(OWN_KEY);
    expectStatus(200, await app.fetch('/api/v1/billing/credits', as(person)));
    await make.sql("UPDATE credit_grants SET expires_at = now() - interval '1 hour' WHERE org_id = $1", [
      person.organization.id,
    ]);
    const charged = expectStatus(402, await chat(key, { ...HELLO, model: OTHER_MODEL }));
    expect(charged.body.error.code).toBe('credits_exhausted');
    expectStatus(200, await chat(key));
  });

  it('is asked for with the same key when its caller has left, and when its process was lost', async () => {
    const { key, orgId, person } = await withKey();
    market.next({ text: 'word '.repeat(40) });
    const id = await leaveAfter(333, key);
    expect(await billed(id, key)).toMatchObject({ cost: '0', billed_to: 'organization', usage_source: 'router' });
    const asked = (): unknown[] =>
      market.requests.filter(({ path }) => path === '/generation').map(({ headers }) => headers.authorization);
    expect(new Set(asked())).toEqual(new Set([`Bearer ${OWN_KEY}`]));

    const lost = `gen_${uniqueName('lost')}`;
    const leave = (generation: string): Promise<unknown> =>
      make.sql(
        `INSERT INTO generation_starts VALUES ($1, $2, $3, NULL, NULL, 'chat_completions', $4, '{input,output}',
           'openrouter', $5, true, now(), now() - interval '1 minute', 'organization')`,
        [generation, orgId, person.user.id, MODEL, market.lastGeneration.id],
      );
    market.requests.length = 0;
    await leave(lost);
    await app.runSchedule('lost-generations');
    expect(asked()).toEqual([`Bearer ${OWN_KEY}`]);
    expect(await billed(lost, key)).toMatchObject({ outcome: 'lost', cost: '0', billed_to: 'organization' });

    // Without the key nobody may ask, and nothing is lost for the operator.
    expectStatus(204, await app.call('DELETE', KEY, as(person)));
    market.requests.length = 0;
    await leave(`gen_${uniqueName('lost')}`);
    await app.runSchedule('lost-generations');
    expect(asked()).toEqual([]);
    expect(await make.sql('SELECT 1 FROM generation_starts')).toEqual([]);
    expect(await metric('ai_generations_lost_total')).toBe(0);
  });

  it.each([401, 402, 403])('tells the organization that the provider refuses its key with %i', async (status) => {
    const { person, key } = await withKey();
    const refusals = await metric('ai_router_account_refusals_total');
    market.next({ status, body: { error: { message: `Refused: ${OWN_KEY}` } } });
    const answer = expectStatus(400, await chat(key));
    expect(answer.body.error).toMatchObject({
      type: 'validation_error',
      code: 'provider_key_refused',
      details: { provider: 'openrouter', status },
    });
    expect(answer.text).not.toContain(OWN_KEY);
    expect(market.calls).toHaveLength(1);
    expect(await metric('ai_router_account_refusals_total')).toBe(refusals);
    // It is the fault of nobody else, and the key can be replaced.
    expectStatus(200, await chat(await make.key(await make.person())));
    expectStatus(200, await put({ api_key: `${OWN_KEY}-new` }, person));
    market.keys.add(`${OWN_KEY}-new`);
    expectStatus(200, await chat(key));
  });

  it('is paid with credits at once when the key is deleted', async () => {
    const { person, key } = await withKey();
    expectStatus(200, await chat(key));
    expectStatus(204, await app.call('DELETE', KEY, as(person)));
    const answer = expectStatus(200, await chat(key));
    expect(authorizations(market)).toEqual([`Bearer ${OWN_KEY}`, `Bearer ${ROUTER_KEY}`]);
    expect(await billed(idOf(answer), key)).toMatchObject({
      billed_to: 'credits',
      cost: formatUsd(market.lastGeneration.costNano),
    });
  });

  it('falls back only to models that the same account pays for', async () => {
    const { person, key } = await withKey();
    market.alwaysFor(MODEL, { status: 500 });
    const both = { ...HELLO, models: [OTHER_MODEL] };
    expect(expectStatus(503, await chat(key, both)).body.error.code).toBe('model_unavailable');
    expect(local.calls).toEqual([]);
    local.alwaysFor(OTHER_MODEL, { status: 500 });
    expectStatus(503, await chat(key, { ...HELLO, model: OTHER_MODEL, models: [MODEL] }));
    expect(authorizations(local)).toEqual([`Bearer ${ROUTER_KEY}`, `Bearer ${ROUTER_KEY}`]);
    expect(market.calls).toHaveLength(2);

    local.reset();
    local.keys.add('sk-of-the-other-provider');
    expectStatus(200, await put({ api_key: 'sk-of-the-other-provider' }, person, `${PROVIDERS}/own/key`));
    const answer = expectStatus(200, await chat(key, both));
    expect(answer.headers.get('x-service-model')).toBe(OTHER_MODEL);
    expect(authorizations(local)).toEqual(['Bearer sk-of-the-other-provider']);
  });
});

describe('the keys of organizations', () => {
  it('are re-encrypted when SECRETS_KEY changes', async () => {
    const { key } = await withKey();
    settings['SECRETS_KEY'] = `2:${'n'.repeat(40)},1:${SECRETS_KEY}`;
    await app.restart();
    await app.runSchedule('re-encryption');
    settings['SECRETS_KEY'] = `2:${'n'.repeat(40)}`;
    await app.restart();
    await app.get(PriceSyncService).run(new AbortController().signal);
    expectStatus(200, await chat(key));
    expect(authorizations(market)).toEqual([`Bearer ${OWN_KEY}`]);
  }, 60_000);

  it('are deleted with their organization', async () => {
    const person = await make.person();
    const org = await make.org(person);
    const there = as(person, { headers: { 'x-service-org': org.id } });
    expectStatus(200, await send(app, ['PUT', KEY], { api_key: OWN_KEY }, there));
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(person)));
    await eventually(
      async () => (await make.sql('SELECT 1 FROM provider_keys WHERE org_id = $1', [org.id])).length === 0,
      'the key is deleted',
      20_000,
    );
  }, 60_000);
});

async function metric(name: string): Promise<number> {
  const text = (await app.fetch('/metrics')).text;
  return [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}

/** Streams, and disconnects once that many bytes have arrived. */
function leaveAfter(bytes: number, by: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(CHAT, app.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.on('response', (response) => {
      let got = 0;
      if (response.statusCode !== 200) reject(new Error(`Status ${response.statusCode}`));
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        got += chunk.length;
        if (got < bytes) return;
        sent.destroy();
        resolve(response.headers['x-service-generation'] as string);
      });
    });
    sent.end(JSON.stringify({ ...HELLO, stream: true }));
  });
}
