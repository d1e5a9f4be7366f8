import { setTimeout as sleep } from 'node:timers/promises';
import { Queues } from '../../src/platform/queues/queues.js';
import { RedisRelay } from '../support/redis-relay.js';
import { eventually, TestApp } from '../support/test-app.js';

/** A producer gives a command up after 2 s. */
const LONGER_THAN_A_COMMAND_MS = 2_500;

describe('a queue opened while Redis is unavailable', () => {
  const app = new TestApp({}, 'api');
  let relay: RedisRelay;

  beforeAll(async () => {
    relay = await RedisRelay.start();
    await app.start({ redisUrl: relay.url });
  });
  afterAll(async () => {
    await app.stop();
    await relay.stop();
  });

  it('accepts jobs as soon as Redis answers', async () => {
    relay.silence();
    const queue = app.get(Queues).named('opened-in-silence');
    await expect(queue.add('job', { payload: {} })).rejects.toThrow();
    await sleep(LONGER_THAN_A_COMMAND_MS);
    relay.speak();
    await eventually(
      () =>
        queue.add('job', { payload: {} }).then(
          () => true,
          () => false,
        ),
      'it takes a job',
      10_000,
    );
  });
});
