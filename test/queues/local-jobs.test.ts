import { setTimeout as sleep } from 'node:timers/promises';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { Redis } from 'ioredis';
import { AwaitedJobs, JobFailed } from '../../src/platform/queues/awaited-jobs.js';
import { defineJob, type JobHandler, JobPostponed } from '../../src/platform/background/define-job.js';
import { JobAbandoned } from '../../src/platform/queues/job-cancellations.js';
import { LocalJobs } from '../../src/platform/queues/local-jobs.js';
import { QueueWorkers } from '../../src/platform/queues/queue-workers.js';
import { addressOf } from '../../src/platform/redis/redis-address.js';
import { eventually, useApp } from '../support/test-app.js';
import { testRedisUrl } from '../support/test-redis.js';

class Doubling {
  @IsInt() readonly value!: number;
  @IsOptional() @IsString() readonly text?: string;
}

type Queue = ReturnType<typeof defineJob<Doubling>>;
const queueNamed = (name: string, isHandedOver = true): Queue =>
  defineJob({
    name,
    summary: 'Is tested.',
    payload: Doubling,
    attempts: 1,
    backoffMs: 0,
    concurrency: 2,
    isHandedOver,
  });

describe('a job that is handed over', () => {
  const app = useApp();
  const start = async (queue: Queue, handle: JobHandler<Doubling, unknown>['handle']): Promise<void> => {
    app.get(QueueWorkers).start(queue, { handle });
    if (queue.isHandedOver === true)
      await eventually(() => app.get(LocalJobs).hasRoom(queue.name), 'the worker is found');
  };
  const run = <Result = number>(queue: Queue, payload: Doubling, signal?: AbortSignal): Promise<Result> =>
    app.get(AwaitedJobs).run<Doubling, Result>(queue, payload, { startWithinMs: 5_000, finishWithinMs: 5_000, signal });

  /** How many jobs the queue has ever had in Redis, which BullMQ counts. */
  async function queuedJobs(queue: Queue): Promise<number> {
    const redis = new Redis(addressOf(testRedisUrl()));
    const count = Number(await redis.get(`bull:${queue.name}:id`));
    redis.disconnect();
    return count;
  }

  it('does not pass through Redis, and one of another queue does', async () => {
    const [direct, queued] = [queueNamed('direct'), queueNamed('not-direct', false)];
    await start(direct, ({ value }) => Promise.resolve(value * 2));
    await start(queued, ({ value }) => Promise.resolve(value * 2));
    for (const queue of [direct, queued]) expect(await run(queue, { value: 21 })).toBe(42);
    expect([await queuedJobs(direct), await queuedJobs(queued)]).toEqual([0, 1]);
  });

  it('waits in the queue when there is no place, and none is lost or doubled', async () => {
    const queue = queueNamed('direct-many');
    let [now, most] = [0, 0];
    const handled: number[] = [];
    await start(queue, async ({ value }) => {
      handled.push(value);
      most = Math.max(most, ++now);
      await sleep(5);
      now -= 1;
      return value * 2;
    });
    const values = Array.from({ length: 200 }, (_, index) => index);
    expect(await Promise.all(values.map((value) => run(queue, { value })))).toEqual(values.map((value) => value * 2));
    expect(handled.sort((one, other) => one - other)).toEqual(values);
    expect(most).toBe(2);
  });

  it('never keeps the jobs of the queue from running', async () => {
    const queue = queueNamed('direct-greedy');
    await start(queue, async ({ value }) => {
      await sleep(20);
      return value;
    });
    let stopped = false;
    const greedy = Array.from({ length: 8 }, async () => {
      while (!stopped) await run(queue, { value: 1 });
    });
    await sleep(100);
    // Each of the eight waits in the queue now and then.
    const startedAt = performance.now();
    for (let turn = 0; turn < 10; turn++) await run(queue, { value: 2 });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    stopped = true;
    await Promise.all(greedy);
  });

  it('fails with the message of its handler, without a retry', async () => {
    const queue = queueNamed('direct-failing');
    let tries = 0;
    await start(queue, () => {
      tries += 1;
      return Promise.reject(new Error('It is broken.'));
    });
    await expect(run(queue, { value: 1 })).rejects.toThrow(new JobFailed('It is broken.'));
    expect(tries).toBe(1);
  });

  it('goes to the queue with what it has learned when it could not begin', async () => {
    const queue = queueNamed('direct-postponed');
    const seen: Doubling[] = [];
    await start(queue, (payload) => {
      seen.push(payload);
      if (payload.text === undefined) throw new JobPostponed(10, { text: 'tried' }, new Error('not now'));
      return Promise.resolve(payload.value);
    });
    expect(await run(queue, { value: 7 })).toBe(7);
    expect(seen).toMatchObject([{ value: 7 }, { value: 7, text: 'tried' }]);
  });

  it('is ended when its caller hangs up', async () => {
    const queue = queueNamed('direct-endless');
    let ended: unknown;
    await start(
      queue,
      (_job, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended = signal.reason;
            reject(signal.reason as Error);
          });
        }),
    );
    const caller = new AbortController();
    const running = run(queue, { value: 1 }, caller.signal);
    await sleep(100);
    caller.abort(new Error('hung up'));
    await expect(running).rejects.toThrow('hung up');
    await eventually(() => ended instanceof JobAbandoned, 'the job is ended');
  });

  it('carries everything that a run may print', async () => {
    const queue = queueNamed('direct-long');
    const text = '\0'.repeat(2 * 1_048_576);
    await start(queue, (job) => Promise.resolve(job.text));
    expect(await run<string>(queue, { value: 1, text })).toBe(text);
  });

  it('ends before its worker does', async () => {
    const queue = queueNamed('direct-stopped');
    await start(queue, async ({ value }) => {
      await sleep(200);
      return value;
    });
    const running = run(queue, { value: 3 });
    await sleep(50);
    await app.get(QueueWorkers).stop(queue.name);
    expect(await running).toBe(3);
    expect(app.get(LocalJobs).hasRoom(queue.name)).toBe(false);
  });
});
