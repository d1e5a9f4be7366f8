import { setTimeout as sleep } from 'node:timers/promises';
import { IsString } from 'class-validator';
import { defineJob } from '../../src/platform/background/define-job.js';
import { Database } from '../../src/platform/database/database.js';
import { OutboxMessage } from '../../src/platform/outbox/outbox-message.entity.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { DirectJobs } from '../../src/platform/queues/direct-jobs.js';
import { QueueWorkers } from '../../src/platform/queues/queue-workers.js';
import { isRedisUnavailable } from '../../src/platform/redis/redis-unavailable.js';
import { onThisMachine } from '../support/patience.js';
import { RedisGroup } from '../support/redis-group.js';
import { eventually, TestApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(120_000));

class Note {
  @IsString() readonly id!: string;
}

const queueNamed = (name: string): ReturnType<typeof defineJob<Note>> =>
  defineJob({ name, summary: 'Is tested.', payload: Note, attempts: 3, backoffMs: 1, concurrency: 4 });

const EVERY_MS = 20;
/** The sentinels notice after a second, agree, and promote; the longest time without an answer is two seconds more. */
const OUTAGE_MS = 5_000;
const LONGEST_OUTAGE_MS = 15_000;

interface Stream {
  /** Jobs that the service has acknowledged. */
  readonly acknowledged: readonly string[];
  /** From the first refusal to the last, of jobs and of `/ready`. */
  readonly outageMs: number;
  /** Refusals that do not say that Redis is unavailable. */
  readonly otherErrors: readonly unknown[];
}

describe('a Redis with Sentinel', () => {
  const group = new RedisGroup({ replicas: 2, sentinels: 3 });
  const app = new TestApp({}, 'without_databases');
  const seen = new Map<string, number>();
  const direct = queueNamed('fail-over-direct');
  const relayed = queueNamed('fail-over-relayed');

  beforeAll(async () => {
    await group.start();
    await app.start({ redisUrl: `redis+sentinel://${group.sentinelHosts}`, keepRedis: true });
    for (const queue of [direct, relayed])
      app.get(QueueWorkers).start(queue, {
        handle: ({ id }: Note) => {
          seen.set(id, (seen.get(id) ?? 0) + 1);
          return Promise.resolve();
        },
      });
  });

  afterAll(async () => {
    await app.stop();
    await group.stop();
  });

  /** Adds jobs in both ways all the time, until `during` has ended and both ways work again. */
  async function streamOf(prefix: string, during: () => Promise<void>): Promise<Stream> {
    const acknowledged: string[] = [];
    const otherErrors: unknown[] = [];
    const refusedAtMs: number[] = [];
    const pending: Promise<void>[] = [];
    const over = new AbortController();
    let answeredAtMs = 0;
    const add = async (id: string, write: Promise<void>): Promise<void> => {
      const nowMs = performance.now();
      try {
        await write;
        acknowledged.push(id);
        answeredAtMs = Math.max(answeredAtMs, nowMs);
      } catch (error) {
        refusedAtMs.push(nowMs);
        if (!isRedisUnavailable(error)) otherErrors.push(error);
      }
    };
    const probe = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const askedAtMs = performance.now();
        const { status } = await app.fetch('/ready');
        if (status === 503) refusedAtMs.push(askedAtMs);
        await sleep(100);
      }
    };
    const probing = probe();
    const adding = (async (): Promise<void> => {
      for (let count = 0; !over.signal.aborted; count++) {
        const [one, two] = [`${prefix}-direct-${count}`, `${prefix}-relayed-${count}`];
        pending.push(
          add(one, app.get(DirectJobs).add(direct, { jobId: one, payload: { id: one } })),
          add(
            two,
            app.get(Database).transaction(() => app.get(Outbox).enqueue(relayed, { id: two })),
          ),
        );
        await sleep(EVERY_MS);
      }
    })();
    await sleep(500);
    await during();
    await eventually(
      () => refusedAtMs.length > 0 && answeredAtMs > Math.max(...refusedAtMs) + 1_000,
      'all is answered again',
      30_000,
    );
    over.abort();
    await Promise.all([probing, adding]);
    await Promise.all(pending);
    return { acknowledged, otherErrors, outageMs: Math.max(...refusedAtMs) - Math.min(...refusedAtMs) };
  }

  async function expectNoneLost({ acknowledged, otherErrors, outageMs }: Stream): Promise<void> {
    expect(otherErrors).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(20);
    // A job that only the dead primary gave to a worker is found when its lock has ended.
    await eventually(() => acknowledged.every((id) => seen.has(id)), 'all acknowledged jobs have run', 90_000);
    // Without the watch, it would last until the primary goes on.
    expect(outageMs).toBeLessThan(Math.min(onThisMachine(OUTAGE_MS), LONGEST_OUTAGE_MS));
  }

  it('loses no acknowledged job when the primary is killed, and refuses calls for seconds only', async () => {
    let port = 0;
    const stream = await streamOf('killed', async () => {
      port = await group.killPrimary();
    });
    await expectNoneLost(stream);
    await group.revive(port);
  });

  it('leaves a primary that hangs, though its connections stay open', async () => {
    let thaw = (): void => undefined;
    const stream = await streamOf('hanging', async () => {
      thaw = await group.freezePrimary();
    });
    await expectNoneLost(stream);
    thaw();
    // It believes to be the primary until the sentinels demote it.
    await sleep(500);
    const id = 'after';
    await app.get(DirectJobs).add(direct, { jobId: id, payload: { id } });
    await eventually(() => seen.has(id), 'jobs run');
  });

  it('acknowledges a job only when a replica has it', async () => {
    const rows = (): Promise<number> => app.get(Database).manager.countBy(OutboxMessage, { queue: relayed.name });
    const add = (id: string): Promise<void> => app.get(DirectJobs).add(direct, { jobId: id, payload: { id } });
    await eventually(async () => (await rows()) === 0, 'earlier messages are deleted', 20_000);
    const thaw = await group.freezeReplicas();
    const refused = await add('unconfirmed').catch((error: unknown) => error);
    expect([isRedisUnavailable(refused), String(refused)]).toEqual([true, expect.stringContaining('did not confirm')]);
    await app.get(Database).transaction(() => app.get(Outbox).enqueue(relayed, { id: 'kept' }));
    // Its job runs, as only the loss of the primary could take it away.
    await eventually(() => seen.has('kept'), 'the job runs');
    expect(await rows()).toBe(1);
    thaw();
    await eventually(async () => (await rows()) === 0, 'the message is deleted', 20_000);
    await add('confirmed');
    await eventually(() => seen.has('confirmed'), 'jobs run');
    expect([seen.get('kept'), seen.get('confirmed')]).toEqual([1, 1]);
  });
});
