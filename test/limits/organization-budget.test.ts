import { RedisRelay } from '../support/redis-relay.js';
import { as, Make, type Person } from '../support/make.js';
import { type Answer, eventually, TestApp, useApp } from '../support/test-app.js';

const budgetOf = ({ headers }: Answer): [string | null, string | null, string | null] => [
  headers.get('x-service-tier'),
  headers.get('x-service-calls-limit'),
  headers.get('x-service-calls-remaining'),
];

describe('the budget of an organization (service document §8)', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);

  it.each([
    ['free', '5000'],
    ['builder', '100000'],
    ['pro', '2147483647'],
    ['enterprise', '2147483647'],
  ] as const)('of the plan %s is %s calls a day, on every answer', async (plan, limit) => {
    const person = await make.person({ plan });
    const key = await make.key(person);
    const answers = [
      await app.fetch('/api/v1/me', as(key)),
      await app.fetch('/api/v1/keys/key_0', as(key)),
      await app.post('/api/v1/keys', {}, as(key)),
      await app.fetch('/api/v1/unknown', as(key)),
      await app.fetch('/api/v1/billing/plans', as(key)),
      await app.call('PUT', '/api/v1/me', as(key)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 404, 200, 405]);
    for (const answer of answers) expect(budgetOf(answer).slice(0, 2)).toEqual([plan, limit]);
  });

  it('is one for all keys and the session of its people', async () => {
    const person = await make.person();
    const keys = [await make.key(person), await make.key(person), person.sessionToken];
    const left = [];
    for (const token of keys)
      left.push(Number((await app.fetch('/api/v1/me', as(token))).headers.get('x-service-calls-remaining')));
    expect(left).toEqual([4_997, 4_996, 4_995]);
  });

  it('is that of the organization that the call names', async () => {
    const person = await make.person();
    const org = await make.org(person, { plan: 'builder' });
    const answer = await app.fetch('/api/v1/me', as(person, { headers: { 'x-service-org': org.slug } }));
    expect(budgetOf(answer)).toEqual(['builder', '100000', '99999']);
  });

  it('refuses with 429 once it is used up, until midnight UTC, and charges that to nobody', async () => {
    const person = await make.person();
    const key = await make.key(person);
    await make.spend(person.organization.id, 4_999);
    expect(budgetOf(await app.fetch('/api/v1/me', as(key)))).toEqual(['free', '5000', '0']);
    const refused = await app.fetch('/api/v1/me', as(key));
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      type: 'rate_limit_error',
      code: 'daily_limit_exceeded',
      upgrade_url: expect.any(String),
      details: { policy: 'daily', limit: 5_000, remaining: 0 },
    });
    expect(refused.body.error.retry_after).toBe(Number(refused.headers.get('retry-after')));
    const midnight = new Date(refused.body.error.details.resets_at as string);
    expect(midnight.toISOString()).toMatch(/T00:00:00.000Z$/);
    expect(
      Math.abs(Number(refused.headers.get('retry-after')) - (midnight.getTime() - Date.now()) / 1000),
    ).toBeLessThan(5);
  });

  it('is not charged for 401, 403 and 404 of routes that do not exist, and for 404 of a resource it is', async () => {
    const person = await make.person();
    const key = await make.key(person, { scopes: ['keys:read'] });
    const left = async (answer: Promise<Answer>): Promise<string | null> =>
      (await answer).headers.get('x-service-calls-remaining');
    const before = Number(await left(app.fetch('/api/v1/me', as(key))));
    expect(await left(app.post('/api/v1/keys', { name: 'x' }, as(key)))).toBe(String(before));
    expect(await left(app.fetch('/api/v1/me', as(key, { headers: { 'x-service-org': 'nowhere' } })))).toBe(
      String(before),
    );
    expect(await left(app.fetch('/api/v1/nothing', as(key)))).toBe(String(before));
    expect(await left(app.fetch('/api/v1/keys/key_0', as(key)))).toBe(String(before - 1));
  });

  it('grows with the plan on the very next call', async () => {
    const person = await make.person();
    const key = await make.key(person);
    await make.spend(person.organization.id, 5_000);
    expect((await app.fetch('/api/v1/me', as(key))).status).toBe(429);
    await make.plan(person.organization.id, 'builder');
    expect(budgetOf(await app.fetch('/api/v1/me', as(key)))).toEqual(['builder', '100000', '94999']);
  });

  it('limits bursts to twice the rate of the plan', async () => {
    const person = await make.person();
    const key = await make.key(person);
    // What is left of the burst after the calls that made the key; while calls come, twenty a second are let in again.
    const first = await app.fetch('/api/v1/me', as(key));
    const left = Number(/"burst";r=(\d+)/.exec(first.headers.get('ratelimit')!)![1]);
    expect(left).toBeGreaterThan(20);
    expect(left).toBeLessThan(40);
    const startedMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 80 }, () => app.fetch('/api/v1/me', as(key))));
    const refilled = Math.ceil(((performance.now() - startedMs) / 1000) * 20) + 1;
    const granted = answers.filter(({ status }) => status === 200).length;
    expect(granted).toBeGreaterThanOrEqual(left);
    expect(granted).toBeLessThanOrEqual(left + refilled);
    expect(answers.find(({ status }) => status === 429)!.body.error).toMatchObject({
      code: 'burst_limit_exceeded',
      retry_after: 1,
      details: { limit: 40 },
    });
  });
});

describe('while Redis is unavailable', () => {
  let relay: RedisRelay;
  let app: TestApp;
  let make: Make;
  let person: Person;
  let key: string;

  beforeAll(async () => {
    relay = await RedisRelay.start();
    app = new TestApp({}, 'api');
    await app.start({ redisUrl: relay.url });
    make = new Make(app);
    person = await make.person();
    key = await make.key(person);
    await make.spend(person.organization.id, 4_990);
    await app.fetch('/api/v1/me', as(key));
    relay.cut();
  });

  afterAll(async () => {
    relay.mend();
    await eventually(async () => (await app.fetch('/ready')).status === 200, 'Redis is back');
    await app.stop();
    await relay.stop();
  });

  it('answers calls with keys, counted from what was left when it went', async () => {
    const answers = [];
    for (let call = 0; call < 12; call++) answers.push(await app.fetch('/api/v1/me', as(key)));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(9).fill(200), 429, 429, 429]);
    expect(budgetOf(answers[0]!)).toEqual(['free', '5000', '8']);
  });

  it('refuses to let anybody sign in or up with 503 and Retry-After', async () => {
    for (const [path, body] of [
      ['sign-in', { login: person.user.username, password: person.password }],
      ['sign-up', { username: 'nobody', email: 'nobody@example.org', password: person.password }],
    ] as const) {
      const answer = await app.post(`/api/v1/auth/${path}`, body);
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 503, 'service_unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('stops a key within ten seconds of its being revoked', async () => {
    const pro = await make.sql("UPDATE organizations SET plan = 'pro' WHERE id = $1 RETURNING id", [
      person.organization.id,
    ]);
    expect(pro).toHaveLength(2);
    const other = (await make.sql<{ id: string }[]>('SELECT id FROM api_keys')) as unknown as { id: string }[];
    await make.sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [other[0]!.id]);
    let answer: Answer;
    await eventually(
      async () => {
        answer = await app.fetch('/api/v1/me', as(key));
        return answer.status === 401;
      },
      'the key is stopped',
      12_000,
    );
    expect(answer!.body.error.code).toBe('revoked_api_key');
  });
});
