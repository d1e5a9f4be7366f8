import { Redis } from 'ioredis';
import { addressOf } from '../../src/platform/redis/redis-address.js';

/** The number of databases of the embedded Redis. */
const DATABASES = 64;

/**
 * The address of a Redis database that no other Jest worker uses. Test files run one after another in the same worker
 * and find what earlier ones left: call {@link flushTestRedis} first. The service of the tests of the web app has that
 * of the first worker, so that another service beside it names its own.
 */
export function testRedisUrl(database = Number(process.env['JEST_WORKER_ID'] ?? 1) % DATABASES): string {
  const base = process.env['TEST_REDIS_URL'];
  if (base === undefined) throw new Error('TEST_REDIS_URL is not set: run service tests with `npm test`.');

  const url = new URL(base);
  if (url.protocol === 'unix:') url.searchParams.set('db', String(database));
  else url.pathname = `/${database}`;
  return url.href;
}

/** Empties this worker's database. Disconnect what an earlier test left running first, or it fills it again. */
export async function flushTestRedis(): Promise<void> {
  const redis = new Redis({ ...addressOf(testRedisUrl()), maxRetriesPerRequest: 1 });
  await redis.flushdb();
  redis.disconnect();
}
