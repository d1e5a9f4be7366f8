import { Redis } from 'ioredis';
import { CallBudgetService } from '../../src/modules/limits/call-budget.service.js';
import { clientAddressOf } from '../../src/modules/limits/client-address.js';
import { addressOf } from '../../src/platform/redis/redis-address.js';
import { nextUtcMidnight } from '../../src/platform/time/clock.js';
import { type Answer, eventually, randomAddress, useApp } from '../support/test-app.js';
import { testRedisUrl } from '../support/test-redis.js';

const headersOf = (headers: Headers): Record<string, string | null> => ({
  tier: headers.get('x-service-tier'),
  limit: headers.get('x-service-calls-limit'),
  remaining: headers.get('x-service-calls-remaining'),
});

describe('the call budget of anonymous callers', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_DAY: '8', ANONYMOUS_CALLS_PER_SECOND: '1000' });

  it('returns the remaining calls and the reset on every response', async () => {
    const from = randomAddress();
    const { headers } = await app.fetch('/api/v1', { from });
    expect(headersOf(headers)).toEqual({ tier: 'anonymous', limit: '8', remaining: '7' });
    const reset = Number(headers.get('x-service-calls-reset'));
    expect(Math.abs(reset - (nextUtcMidnight(new Date()).getTime() - Date.now()) / 1000)).toBeLessThan(5);
    expect(headers.get('ratelimit-policy')).toBe('"burst";q=2000;w=2, "daily";q=8;w=86400');
    expect(headers.get('ratelimit')).toMatch(/^"burst";r=\d+;t=2, "daily";r=7;t=\d+$/);
  });

  it('returns 429 with Retry-After and upgrade_url above the daily limit, without charging the call', async () => {
    const from = randomAddress();
    for (let call = 0; call < 8; call++) expect((await app.fetch('/api/v1', { from })).status).toBe(200);
    for (let again = 0; again < 2; again++) {
      const answer = await app.fetch('/api/v1', { from });
      expect(answer.status).toBe(429);
      expect(answer.body.error).toMatchObject({
        type: 'rate_limit_error',
        code: 'daily_limit_exceeded',
        upgrade_url: 'http://api.test/pricing',
        details: { policy: 'daily', limit: 8, remaining: 0 },
      });
      expect(Number(answer.headers.get('retry-after'))).toBe(answer.body.error.retry_after);
      expect(headersOf(answer.headers).remaining).toBe('0');
    }
    expect((await app.fetch('/api/v1', { from: randomAddress() })).status).toBe(200);
  });

  it('is exact for 40 concurrent calls', async () => {
    const from = randomAddress();
    const answers = await Promise.all(Array.from({ length: 40 }, () => app.fetch('/api/v1', { from })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(
      new Set(
        answers.filter(({ status }) => status === 200).map(({ headers }) => headers.get('x-service-calls-remaining')),
      ).size,
    ).toBe(8);
  });

  it('does not count probes, documents and unknown routes', async () => {
    const from = randomAddress();
    for (const path of ['/health', '/ready', '/metrics', '/docs', '/api/v1/nothing']) await app.fetch(path, { from });
    expect((await app.fetch('/health', { from })).headers.has('x-service-tier')).toBe(false);
    expect(headersOf((await app.fetch('/api/v1', { from })).headers).remaining).toBe('7');
  });

  it('cannot be bypassed with other spellings of a path', async () => {
    const from = randomAddress();
    for (const path of ['/API/v1', '/api/V1', '//api/v1', '/%61pi/v1', '/api/v1/../v1']) {
      const answer = await app.fetch(path, { from });
      expect([path, answer.status, answer.headers.has('x-service-tier') || answer.status === 404]).toEqual([
        path,
        path.includes('..') ? 200 : 404,
        true,
      ]);
    }
  });

  it('counts an IPv6 caller by its /64', async () => {
    const part = Math.floor(Math.random() * 65_536).toString(16);
    await app.fetch('/api/v1', { from: `2001:db8:${part}:1::1` });
    expect(headersOf((await app.fetch('/api/v1', { from: `2001:db8:${part}:1:ffff::2` })).headers).remaining).toBe('6');
    expect(headersOf((await app.fetch('/api/v1', { from: `2001:db8:${part}:2::1` })).headers).remaining).toBe('7');
  });

  it('limits a /48 that rotates its /64', async () => {
    const part = Math.floor(Math.random() * 65_536).toString(16);
    const statuses: number[] = [];
    for (let network = 0; network < 12; network++) {
      for (let call = 0; call < 8; call++)
        statuses.push((await app.fetch('/api/v1', { from: `2001:db8:${part}:${network}::1` })).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(80);
    const refused = await app.fetch('/api/v1', { from: `2001:db8:${part}:ffff::1` });
    expect(refused.body.error).toMatchObject({ code: 'daily_limit_exceeded', details: { remaining: 0 } });
    expect(refused.headers.get('x-service-calls-remaining')).toBe('0');
  });

  it('refunds a call that the service failed', async () => {
    const budgets = app.get(CallBudgetService);
    const account = budgets.accountOfAddress(clientAddressOf(randomAddress()));
    await budgets.giveBack(await budgets.spend(account));
    expect((await budgets.look(account)).remaining).toBe(8);
  });
});

describe('the burst limit', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1' });

  it('allows twice the rate at once, then returns 429 without charging the day', async () => {
    let answers: Answer[] = [];
    // A place is free again after a second, which a busy machine may take for four calls.
    await eventually(async () => {
      const from = randomAddress();
      const sinceMs = performance.now();
      answers = [];
      for (let call = 0; call < 4; call++) answers.push(await app.fetch('/api/v1', { from }));
      return performance.now() - sinceMs < 900;
    }, 'four calls are made within a second');
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(answers[3]!.body.error).toMatchObject({
      code: 'burst_limit_exceeded',
      retry_after: 1,
      details: { policy: 'burst', limit: 2 },
    });
    expect(answers[3]!.headers.get('x-service-calls-remaining')).toBe('998');
  });

  it('allows a call after Retry-After', async () => {
    const from = randomAddress();
    await app.fetch('/api/v1', { from });
    await app.fetch('/api/v1', { from });
    const refused = await app.fetch('/api/v1', { from });
    await new Promise((resolve) => {
      setTimeout(resolve, Number(refused.headers.get('retry-after')) * 1000);
    });
    expect((await app.fetch('/api/v1', { from })).status).toBe(200);
  });
});

describe('the address of the caller', () => {
  const app = useApp({ TRUST_PROXY: '', ANONYMOUS_CALLS_PER_SECOND: '1000' });

  it('ignores X-Forwarded-For without TRUST_PROXY', async () => {
    const first = await app.fetch('/api/v1', { from: '203.0.113.1' });
    const second = await app.fetch('/api/v1', { from: '203.0.113.2' });
    expect(Number(second.headers.get('x-service-calls-remaining'))).toBe(
      Number(first.headers.get('x-service-calls-remaining')) - 1,
    );
  });
});

describe('while Redis is unavailable', () => {
  const app = useApp(
    { REDIS_URL: 'redis://127.0.0.1:1/0', ANONYMOUS_CALLS_PER_DAY: '3', ANONYMOUS_CALLS_PER_SECOND: '1000' },
    'api',
  );

  it('counts in the process, so that calls stay limited', async () => {
    const from = randomAddress();
    const statuses = [];
    for (let call = 0; call < 4; call++) statuses.push((await app.fetch('/api/v1', { from })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('returns 503 with Retry-After from the anonymous sandbox', async () => {
    const answer = await app.post('/api/v1/sandbox/try', { code: 'print(1)', language: 'python' });
    expect(answer.status).toBe(503);
    expect(answer.body.error.code).toBe('service_unavailable');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-service-calls-remaining')).toBe('3');
  });
});

describe('keys in Redis', () => {
  // The keys of a burst live until the next call would be allowed: here for a second.
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1' });

  it('expire', async () => {
    const redis = new Redis({ ...addressOf(testRedisUrl()) });
    let keys: string[] = [];
    await eventually(async () => {
      await Promise.all(['198.18.7.7', '2001:db8:7:7::7'].map((from) => app.fetch('/api/v1', { from })));
      keys = await redis.keys('limits:*');
      return keys.length >= 5;
    }, 'there are keys of each kind');
    // -1 is a key that never expires, and -2 one that just has.
    for (const key of keys) expect(await redis.pttl(key)).not.toBe(-1);
    redis.disconnect();
  });
});
