import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { addressOf } from '../../src/platform/redis/redis-address.js';
import { startEmbeddedRedis } from '../../src/roles/embedded/embedded-redis.js';
import type { EmbeddedServer } from '../../src/roles/embedded/embedded-server.js';
import { as, Make, type Person } from '../support/make.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';

const remainingOf = ({ headers }: Answer): number => Number(headers.get('x-service-calls-remaining'));

/** A Redis of the test's own, because all of its callers are refused. */
describe('while Redis answers and takes no writes', () => {
  let dataDir: string;
  let server: EmbeddedServer;
  let redis: Redis;
  let app: TestApp;
  let ada: Person;

  beforeAll(async () => {
    dataDir = makeMemoryDirectory();
    server = await startEmbeddedRedis({ dataDir, log: () => undefined });
    redis = new Redis(addressOf(server.url));
    redis.on('error', () => undefined);
    app = new TestApp({}, 'api');
    await app.start({ redisUrl: server.url, keepRedis: true });
    ada = await new Make(app).person();
  });

  afterAll(async () => {
    await app.stop();
    redis.disconnect();
    await server.stop();
    removeScratchDirectory(dataDir);
  });

  /** `maxmemory` with `noeviction`, as a memory that is full. */
  const outOfMemory = {
    begin: () => redis.config('SET', 'maxmemory', '1'),
    end: () => redis.config('SET', 'maxmemory', '0'),
    says: /^OOM/,
  };
  /** A disk that cannot be written. */
  const misconfigured = {
    begin: async () => {
      chmodSync(join(dataDir, 'redis/data'), 0o500);
      await redis.config('SET', 'save', '3600 100000');
      await redis.bgsave();
    },
    end: async () => {
      chmodSync(join(dataDir, 'redis/data'), 0o700);
      await redis.bgsave();
    },
    says: /^MISCONF/,
  };
  const isRefused = async (says: RegExp): Promise<boolean> => {
    const error: unknown = await redis.set('probe', '1').then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error instanceof Error && says.test(error.message);
  };

  it.each([
    ['because its memory is full', outOfMemory],
    ['because its disk is full', misconfigured],
  ])('%s, calls go on and are counted in the process', async (_why, { begin, end, says }) => {
    const before = remainingOf(await app.fetch('/api/v1/me', as(ada)));
    await begin();
    try {
      await eventually(() => isRefused(says), 'Redis refuses writes', 15_000);

      const answers = [];
      for (let call = 0; call < 3; call++) answers.push(await app.fetch('/api/v1/me', as(ada)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers.map(remainingOf)).toEqual([before - 1, before - 2, before - 3]);

      // Attempts at a password must be counted exactly: they are refused in the API's own words.
      const signIn = await app.post('/api/v1/auth/sign-in', { login: ada.user.username, password: ada.password });
      expect([signIn.status, signIn.body.error.code]).toEqual([503, 'service_unavailable']);
      expect(Number(signIn.headers.get('retry-after'))).toBeGreaterThan(0);

      // It must not be taken out of a balancer's list: it answers.
      let ready = await app.fetch('/ready');
      await eventually(async () => {
        ready = await app.fetch('/ready');
        return ready.body.details.redis.status !== 'up';
      }, 'readiness is checked again');
      expect([ready.status, ready.body.details.redis]).toEqual([
        200,
        { status: 'degraded', message: 'takes no writes' },
      ]);
    } finally {
      await end();
    }
    await eventually(async () => !(await isRefused(says)), 'Redis takes writes again', 15_000);
    expect(remainingOf(await app.fetch('/api/v1/me', as(ada)))).toBe(before - 1);
    await eventually(async () => (await app.fetch('/ready')).body.details.redis.status === 'up', 'it is up again');
  });
});
