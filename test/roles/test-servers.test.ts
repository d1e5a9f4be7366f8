import { Redis } from 'ioredis';
import { Client } from 'pg';
import { addressOf } from '../../src/platform/redis/redis-address.js';
import { createTestDatabase } from '../support/test-database.js';
import { flushTestRedis, testRedisUrl } from '../support/test-redis.js';

describe('the servers for tests', () => {
  it('give each test a migrated database, and remove it', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const client = new Client({ connectionString: one.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('CREATE TABLE mine (id int)');
    expect(
      (await client.query<{ count: number }>('SELECT count(*)::int AS count FROM migrations')).rows[0]!.count,
    ).toBeGreaterThan(0);

    const other = new Client({ connectionString: two.url });
    await other.connect();
    await expect(other.query('SELECT * FROM mine')).rejects.toThrow(/"mine" does not exist/);
    await other.end();

    await Promise.all([one.drop(), two.drop()]);
    await expect(new Client({ connectionString: one.url }).connect()).rejects.toThrow(/does not exist/);
  });

  it('give each worker an empty Redis database', async () => {
    const redis = new Redis(addressOf(testRedisUrl()));
    expect(redis.options.db).toBe(Number(process.env['JEST_WORKER_ID']));
    await redis.set('left', 'over');
    await flushTestRedis();
    expect(await redis.dbsize()).toBe(0);
    redis.disconnect();
  });

  it('hide the addresses of the service from tests', () => {
    expect(process.env['DATABASE_URL']).toBeUndefined();
    expect(process.env['REDIS_URL']).toBeUndefined();
  });
});
