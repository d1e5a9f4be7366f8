import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { FakeModelRouter } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Org, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';

const CHAT = '/api/v1/ai/chat/completions';
const POLICY = '/api/v1/ai/policy';
const MODEL = 'fake/small';
/** Its failures close no other model. */
const FAILING_MODEL = 'fake/failing';
const MIB = 1_048_576;
const SECRETS_KEY = 'o'.repeat(40);

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false', SECRETS_KEY: `1:${SECRETS_KEY}` };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'all');
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  router.models.push({ ...router.models[0]!, id: FAILING_MODEL });
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
}, 60_000);
beforeEach(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person);
});
afterAll(() => app.stop());

const hello = (content: string): object => ({ model: MODEL, messages: [{ role: 'user', content }], max_tokens: 50 });
const chat = (body: object, by = key, headers = {}): Promise<Answer> => app.post(CHAT, body, as(by, { headers }));
const put = (body: object, options = as(person)): Promise<Answer> => send(app, ['PUT', POLICY], body, options);
const contentOf = (id: string, by: Person | string = key): Promise<Answer> =>
  app.fetch(`/api/v1/ai/generations/${id}/content`, as(by));
const rowsOf = (orgId: string): Promise<unknown[]> =>
  make.sql('SELECT generation_id FROM generation_contents WHERE org_id = $1', [orgId]);

/** Calls a model, and waits until the generation is written, and its texts if they are kept. */
async function call(body: object, { by = key, isKept = true, headers = {} } = {}): Promise<string> {
  const id = expectStatus(200, await chat(body, by, headers)).headers.get('x-service-generation')!;
  await eventually(async () => {
    const written = await make.sql('SELECT 1 FROM generations WHERE id = $1', [id]);
    const kept = await make.sql('SELECT 1 FROM generation_contents WHERE generation_id = $1', [id]);
    return written.length > 0 && (kept.length > 0 || !isKept);
  }, `${id} is written`);
  return id;
}

/** Fails if the text stands in a log line, a row of any table, or a key or value of Redis. */
async function expectNowhere(text: string): Promise<void> {
  const tables = await make.sql<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(50);
  const hex = Buffer.from(text).toString('hex');
  for (const { name } of tables) {
    const found = await make.sql(
      `SELECT 1 FROM ${name} AS t WHERE t::text LIKE $1 OR t::text LIKE $2 OR t::text LIKE $3 LIMIT 1`,
      [text, hex, Buffer.from(text).toString('base64').slice(0, -4)].map((each) => `%${each}%`),
    );
    expect([name, found]).toEqual([name, []]);
  }
  expect(JSON.stringify(app.log())).not.toContain(text);
  const redis = app.get(RedisConnections).fast();
  const names = await redis.keys('*');
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    expect(name).not.toContain(text);
    expect(await redis.dump(name)).not.toContain(text);
  }
}

describe('texts of prompts and answers', () => {
  /** Everything that can become of a call, with a canary in its prompt and in its answer. */
  async function callInEveryWay(canary: string, isKept: boolean): Promise<string[]> {
    const body = hello(`prompt-${canary}`);
    const text = `answer-${canary} b c d`;
    router.next({ text }, { text }, { text });
    const ids = [
      await call(body, { isKept }),
      await call({ ...body, stream: true }, { isKept }),
      await call(body, { isKept, headers: { 'idempotency-key': uniqueName('key') } }),
    ];
    router.next({ text, errorFrame: { afterFrames: 2, code: 502, message: canary } });
    ids.push(await call({ ...body, stream: true }, { isKept }));
    // The router repeats the prompt in its errors.
    const echo = { status: 500, body: { error: { message: canary } } };
    router.nextFor(FAILING_MODEL, echo, echo);
    expect(expectStatus(503, await chat({ ...body, model: FAILING_MODEL })).text).not.toContain(canary);
    router.nextFor(FAILING_MODEL, { hangsUp: true }, { hangsUp: true });
    expectStatus(503, await chat({ ...body, model: FAILING_MODEL }));
    expectStatus(400, await chat({ ...body, max_tokens: 0, messages: canary }));
    expectStatus(404, await chat({ ...body, model: 'fake/none' }));
    const leak = expectStatus(400, await chat(hello(`${canary} ${key}`)));
    expect(leak.body.error.code).toBe('secret_in_prompt');
    expect(leak.text).not.toContain(canary);
    return ids;
  }

  it('are found by this search where they are', async () => {
    const found = uniqueName('canary');
    expectStatus(200, await put({ denied_models: [found] }));
    // The audit log shows what a policy was changed to.
    await expect(expectNowhere(found)).rejects.toThrow('audit_log');
  });

  it('are nowhere while retention is off', async () => {
    const canary = uniqueName('canary');
    const [id] = await callInEveryWay(canary, false);
    await expectNowhere(canary);
    expect(expectStatus(404, await contentOf(id!)).body.error.code).toBe('generation_content_not_found');
    expect(await rowsOf(person.organization.id)).toEqual([]);
  });

  it('are sealed, and nowhere else, while it is on', async () => {
    expectStatus(200, await put({ retention_days: 1 }));
    const canary = uniqueName('canary');
    const [whole, stream] = await callInEveryWay(canary, true);
    await expectNowhere(canary);
    expect(await rowsOf(person.organization.id)).toHaveLength(4);
    for (const id of [whole!, stream!]) {
      const { request, answer } = expectStatus(200, await contentOf(id)).body.data;
      expect(request.text).toContain(`prompt-${canary}`);
      expect(answer.text).toContain(`answer-${canary}`);
    }
  });
});

describe('GET /api/v1/ai/generations/:generation_id/content', () => {
  it('returns the request, and the answer as the caller got it', async () => {
    expectStatus(200, await put({ retention_days: 30 }));
    router.next({ text: 'Bonjour à tous' }, { text: 'Bonjour à tous' });
    const body = hello('Grüße €');
    const whole = await call(body);
    const { data } = expectStatus(200, await contentOf(whole)).body;
    expect(data).toEqual({
      generation_id: whole,
      request: { text: JSON.stringify(body), truncated: false },
      answer: { text: expect.any(String), truncated: false, content_type: 'application/json' },
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(JSON.parse(data.answer.text).choices[0].message.content).toBe('Bonjour à tous');
    expect(Date.parse(data.expires_at) - Date.parse(data.created_at)).toBe(30 * 86_400_000);
    const stream = (await contentOf(await call({ ...body, stream: true }))).body.data.answer;
    expect(stream.content_type).toContain('text/event-stream');
    expect(stream.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it.each([
    ['responses', { model: MODEL, input: 'Hello', max_output_tokens: 50 }],
    ['messages', { model: MODEL, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 }],
  ])('returns what %s sent and answered', async (protocol, body) => {
    expectStatus(200, await put({ retention_days: 1 }));
    for (const stream of [false, true]) {
      const sent = { ...body, stream };
      const answer = expectStatus(200, await app.post(`/api/v1/ai/${protocol}`, sent, as(key)));
      const id = answer.headers.get('x-service-generation')!;
      await eventually(async () => (await contentOf(id)).status === 200, 'the texts are kept');
      const { data } = (await contentOf(id)).body;
      expect(JSON.parse(data.request.text)).toEqual(sent);
      expect(data.answer.text).toBe(answer.text);
    }
  });

  it('cuts off texts of more than 1 MiB, and says so', async () => {
    expectStatus(200, await put({ retention_days: 1 }));
    const large = 'word '.repeat(MIB / 4);
    router.next({ body: { id: 'gen-large', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 }, large } });
    const { request, answer } = (await contentOf(await call(hello(large)))).body.data;
    expect([request.truncated, Buffer.byteLength(request.text)]).toEqual([true, MIB]);
    expect([answer.truncated, Buffer.byteLength(answer.text)]).toEqual([true, MIB]);
    expect(request.text.startsWith(`{"model":"${MODEL}"`)).toBe(true);
  });

  it('is for members with both scopes: no key that only calls models, no viewer, no other organization', async () => {
    const org = await make.org(person, { plan: 'pro' });
    const there = { headers: { 'x-service-org': org.id } };
    expectStatus(200, await put({ retention_days: 1 }, as(person, there)));
    const id = await call(hello('Hello'), { headers: there.headers });
    const [member, viewer] = [await make.person(), await make.person()];
    await make.member(org, member, 'member');
    await make.member(org, viewer, 'viewer');
    const caller = await make.key(person, { scopes: ['ai:invoke'] });
    const reader = await make.key(person, { scopes: ['orgs:read'] });
    expectStatus(200, await contentOf(id, member));
    expectStatus(200, await contentOf(id, await make.key(person, { scopes: ['ai:invoke', 'orgs:read'] })));
    for (const by of [caller, reader, viewer])
      expect(expectStatus(403, await contentOf(id, by)).body.error.code).toBe('insufficient_scopes');
    expectStatus(401, await app.fetch(`/api/v1/ai/generations/${id}/content`));
    for (const [by, named] of [
      [await make.person(), id],
      [person, 'gen_none'],
    ] as const)
      expect(expectStatus(404, await contentOf(named, by)).body.error.code).toBe('generation_not_found');
  });
});

describe('kept texts', () => {
  it('are deleted after their days, and not shown any more before that', async () => {
    expectStatus(200, await put({ retention_days: 7 }));
    const [old, young] = [await call(hello('old')), await call(hello('young'))];
    await make.sql("UPDATE generation_contents SET created_at = now() - interval '5 days' WHERE generation_id = $1", [
      old,
    ]);
    await app.runSchedule('kept-generation-texts');
    expectStatus(200, await contentOf(old));
    expectStatus(200, await put({ retention_days: 4 }));
    expectStatus(404, await contentOf(old));
    expect(await rowsOf(person.organization.id)).toHaveLength(2);
    await app.runSchedule('kept-generation-texts');
    expect(await rowsOf(person.organization.id)).toEqual([{ generation_id: young }]);
    expectStatus(200, await contentOf(young));
  });

  it.each([
    ['without days', () => put({})],
    ['that is deleted', () => app.call('DELETE', POLICY, as(person))],
  ])('are deleted at once with a policy %s', async (_, change) => {
    expectStatus(200, await put({ retention_days: 7 }));
    const id = await call(hello('Hello'));
    const before = await rowsOf(person.organization.id);
    expect(before).toHaveLength(1);
    expect((await change()).status).toBeLessThan(300);
    expect(await rowsOf(person.organization.id)).toEqual([]);
    expectStatus(200, await put({ retention_days: 7 }));
    expectStatus(404, await contentOf(id));
  });

  it('are not left behind by calls that run while retention is switched off', async () => {
    const off = async (): Promise<void> => {
      expectStatus(204, await app.call('DELETE', POLICY, as(person)));
    };
    for (let round = 0; round < 5; round++) {
      expectStatus(200, await put({ retention_days: 7 }));
      const calls = Array.from({ length: 8 }, () => call(hello('Hello'), { isKept: false }));
      await off();
      await Promise.all(calls);
      // What runs beside a call is over when another one has ended.
      expectStatus(200, await chat(hello('Hello')));
      expect(await rowsOf(person.organization.id)).toEqual([]);
    }
  });

  it('survive neither a removal that a process did not finish, nor their organization', async () => {
    const org: Org = await make.org(person, { plan: 'pro' });
    const there = as(person, { headers: { 'x-service-org': org.id } });
    expectStatus(200, await put({ retention_days: 7 }, there));
    await call(hello('Hello'), { headers: { 'x-service-org': org.id } });
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(person)));
    await eventually(async () => (await rowsOf(org.id)).length === 0, 'the texts are deleted', 20_000);
    expect(await make.sql('SELECT 1 FROM ai_policies WHERE org_id = $1', [org.id])).toEqual([]);

    expectStatus(200, await put({ retention_days: 7 }));
    await call(hello('Hello'));
    await make.sql('DELETE FROM ai_policies WHERE org_id = $1', [person.organization.id]);
    expect(await rowsOf(person.organization.id)).toHaveLength(1);
    await app.runSchedule('kept-generation-texts');
    expect(await rowsOf(person.organization.id)).toEqual([]);
  }, 60_000);

  it('are re-encrypted when SECRETS_KEY changes', async () => {
    expectStatus(200, await put({ retention_days: 7 }));
    const id = await call(hello('Hello'));
    const before = (await contentOf(id)).body.data;
    settings['SECRETS_KEY'] = `2:${'n'.repeat(40)},1:${SECRETS_KEY}`;
    await app.restart();
    await app.runSchedule('re-encryption');
    settings['SECRETS_KEY'] = `2:${'n'.repeat(40)}`;
    await app.restart();
    expect(expectStatus(200, await contentOf(id)).body.data).toEqual(before);
  }, 60_000);
});
