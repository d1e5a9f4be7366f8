import { setTimeout as sleep } from 'node:timers/promises';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { isRedisUnavailable } from '../../src/platform/redis/redis-unavailable.js';
import { RedisRelay } from '../support/redis-relay.js';
import { eventually, TestApp, useApp } from '../support/test-app.js';

/** Long enough for Redis to answer on a machine that other tests keep busy. */
const BUSY_MS = 700;
/** Longer than a command for a queue may take. */
const BUSY_FOR_PRODUCER_MS = 2_300;

describe('a Redis command of a request', () => {
  const app = useApp({ REDIS_TIMEOUT_MS: '50' }, 'api');

  it('times out when Redis does not answer, and the next ones fail at once until it does', async () => {
    const redis = app.get(RedisConnections).fast();
    const slow = redis.eval(
      "local until_us = redis.call('TIME') until_us = until_us[1] * 1000000 + until_us[2] + 300000 repeat " +
        "local now = redis.call('TIME') until now[1] * 1000000 + now[2] > until_us return 1",
      0,
    );
    expect(isRedisUnavailable(await slow.catch((error: unknown) => error))).toBe(true);
    let hasWaited = false;
    setImmediate(() => (hasWaited = true));
    expect(isRedisUnavailable(await redis.ping().catch((error: unknown) => error))).toBe(true);
    expect(hasWaited).toBe(false);
    await eventually(
      () =>
        redis.ping().then(
          () => true,
          () => false,
        ),
      'Redis answers again',
    );
  });

  it.each([
    ['a fast command', (redis: RedisConnections) => redis.fast(), 3, BUSY_MS],
    ['a command for a queue', (redis: RedisConnections) => redis.producer(), 1, BUSY_FOR_PRODUCER_MS],
  ] as const)('does not time out because this process was busy: %s', async (_name, connection, rounds, busyMs) => {
    const redis = connection(app.get(RedisConnections));
    for (let round = 0; round < rounds; round++) {
      const answer = redis.ping();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      const busyUntilMs = performance.now() + busyMs;
      while (performance.now() < busyUntilMs) {
        /* as long work between two turns of the event loop */
      }
      expect(await answer).toBe('PONG');
    }
  });
});

describe('a Redis that ends connections while they are being opened', () => {
  // An attempt comes each quarter of a second. A server that is stopped is asked by some of them whether it is ready.
  it.each([350, 600, 850])('is used as soon as it is there again, after %i ms', async (cutForMs) => {
    const relay = await RedisRelay.start();
    const app = new TestApp({ REDIS_TIMEOUT_MS: '50' }, 'api');
    await app.start({ redisUrl: relay.url });
    relay.cut();
    await sleep(cutForMs);
    relay.mend();
    // The time for the questions that were lost ends meanwhile.
    await sleep(BUSY_FOR_PRODUCER_MS);
    const redis = app.get(RedisConnections);
    expect([await redis.producer().ping(), await redis.fast().ping()]).toEqual(['PONG', 'PONG']);
    await app.stop();
    await relay.stop();
  });
});
