import { IsInt } from 'class-validator';
import { Redis } from 'ioredis';
import { AwaitedJobs, JobFailed, JobUnanswered } from '../../src/platform/queues/awaited-jobs.js';
import { defineJob } from '../../src/platform/background/define-job.js';
import { QueueWorkers } from '../../src/platform/queues/queue-workers.js';
import { addressOf } from '../../src/platform/redis/redis-address.js';
import { JobAbandoned } from '../../src/platform/queues/job-cancellations.js';
import { eventually, useApp } from '../support/test-app.js';
import { testRedisUrl } from '../support/test-redis.js';

class Doubling {
  @IsInt() readonly value!: number;
}

const queueNamed = (name: string): ReturnType<typeof defineJob<Doubling>> =>
  defineJob({ name, summary: 'Is tested.', payload: Doubling, attempts: 1, backoffMs: 0, concurrency: 8 });

describe('an awaited job', () => {
  const app = useApp();
  const run = (queue: ReturnType<typeof queueNamed>, value: number, timeoutMs = 5_000): Promise<number> =>
    app
      .get(AwaitedJobs)
      .run<Doubling, number>(queue, { value }, { startWithinMs: timeoutMs, finishWithinMs: timeoutMs });

  it('returns its own result to each caller and leaves nothing in Redis', async () => {
    const queue = queueNamed('awaited-many');
    app.get(QueueWorkers).start(queue, { handle: ({ value }: Doubling) => Promise.resolve(value * 2) });
    const values = Array.from({ length: 300 }, (_, index) => index);
    expect(await Promise.all(values.map((value) => run(queue, value)))).toEqual(values.map((value) => value * 2));

    const redis = new Redis(addressOf(testRedisUrl()));
    expect(await redis.keys('job-result:*')).toEqual([]);
    expect(await redis.keys(`bull:${queue.name}:job_*`)).toEqual([]);
    redis.disconnect();
  });

  it('rejects when the worker fails, without a retry', async () => {
    const queue = queueNamed('awaited-failing');
    let tries = 0;
    app.get(QueueWorkers).start(queue, {
      handle: () => {
        tries += 1;
        return Promise.reject(new Error('no'));
      },
    });
    await expect(run(queue, 1)).rejects.toThrow(JobFailed);
    expect(tries).toBe(1);
  });

  it('rejects when no worker takes it in time, and is never run then', async () => {
    const queue = queueNamed('awaited-nobody');
    await expect(run(queue, 1, 50)).rejects.toThrow(/took the job within 50 ms/);
    const handled: number[] = [];
    app.get(QueueWorkers).start(queue, {
      handle: ({ value }: Doubling) => {
        handled.push(value);
        return Promise.resolve(value);
      },
    });
    await run(queue, 2);
    expect(handled).toEqual([2]);
  });

  it('rejects when it does not end in time, and is ended', async () => {
    const queue = queueNamed('awaited-endless');
    let ended: unknown;
    app.get(QueueWorkers).start(queue, {
      handle: (_job: Doubling, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended = signal.reason;
            reject(signal.reason as Error);
          });
        }),
    });
    await expect(run(queue, 1, 200)).rejects.toThrow(JobUnanswered);
    await eventually(() => ended instanceof JobAbandoned, 'the job is ended');
  });
});
