import fc from 'fast-check';
import { type Job, Worker } from 'bullmq';
import { IsString } from 'class-validator';
import { DirectJobs } from '../../src/platform/queues/direct-jobs.js';
import { JobTurns, type Subject as TurnSubject } from '../../src/platform/queues/job-turns.js';
import { defineJob } from '../../src/platform/background/define-job.js';
import { QueueWorkers } from '../../src/platform/queues/queue-workers.js';
import { Queues } from '../../src/platform/queues/queues.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(120_000);

class Named {
  @IsString() readonly subject!: string;
}

type NamedQueue = ReturnType<typeof defineJob<Named>>;

const SUBJECTS = ['ada', 'bob', 'cyd'] as const;
type Subject = (typeof SUBJECTS)[number];
type Step = { readonly add: Subject } | { readonly drop: Subject } | 'start';

interface Tried {
  readonly queue: NamedQueue;
  readonly worker: Worker;
  readonly subjectOf: (name: string) => TurnSubject;
}

/**
 * While both have jobs waiting, one may begin so many more than the other: it may have had the first turn, and the
 * last.
 */
const MOST_AHEAD = 2;

describe('turns of subjects in one queue', () => {
  const app = useApp();
  let queues = 0;

  const newQueue = (): NamedQueue =>
    defineJob({
      name: `turns-${++queues}`,
      summary: 'Is tested.',
      payload: Named,
      attempts: 1,
      backoffMs: 0,
      concurrency: 1,
    });
  const add = (queue: NamedQueue, subject: string, jobId: string): Promise<void> =>
    app.get(DirectJobs).add(queue, { jobId, payload: { subject }, subject });
  const inCrowd = (member: string): TurnSubject => ({ name: 'crowd', member });
  const addIn = (queue: NamedQueue, member: string, jobId: string): Promise<void> =>
    app.get(DirectJobs).add(queue, { jobId, payload: { subject: member }, subject: inCrowd(member) });

  /** Runs all that waits, one after the other, and says whose jobs ran in which order. */
  async function drain(queue: NamedQueue, count: number): Promise<string[]> {
    const order: string[] = [];
    app.get(QueueWorkers).start(queue, {
      handle: ({ subject }) => {
        order.push(subject);
        return Promise.resolve();
      },
    });
    await eventually(() => order.length === count, `${count} jobs have run`, 30_000);
    return order;
  }

  it('let a single job go before 1,000 queued jobs of another subject', async () => {
    const queue = newQueue();
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => add(queue, 'ada', `ada-${index}`)));
    const turns = app.get(JobTurns);
    expect((await turns.look(queue, 'ada')).ahead).toBe(1_000);
    expect((await turns.look(queue, 'bob')).ahead).toBe(1);
    await add(queue, 'bob', 'bob-1');
    expect((await drain(queue, 1_001)).indexOf('bob')).toBe(1);
  });

  it('alternate between subjects, in the order of each', async () => {
    const queue = newQueue();
    for (const subject of ['ada', 'ada', 'ada', 'ada', 'bob', 'bob', 'cyd'])
      await add(queue, subject, `${subject}-${Math.random()}`);
    expect(await drain(queue, 7)).toEqual(['ada', 'bob', 'cyd', 'ada', 'bob', 'ada', 'ada']);
  });

  it('ignore what a subject ran alone, and what it withdrew', async () => {
    const queue = newQueue();
    for (let job = 0; job < 20; job++) await add(queue, 'ada', `early-${job}`);
    await drain(queue, 20);
    await app.get(QueueWorkers).stop(queue.name);
    for (let job = 0; job < 20; job++) {
      await add(queue, 'ada', `dropped-${job}`);
      expect(await app.get(DirectJobs).end(queue, `dropped-${job}`, 'ada')).toBe(true);
    }
    const turns = app.get(JobTurns);
    await eventually(
      async () => (await turns.look(queue, 'ada')).round === (await turns.look(queue, 'bob')).round,
      'they are equal again',
    );
  });

  it('continue when the counter restarts, in order', async () => {
    const queue = newQueue();
    await app.get(RedisConnections).producer().set(`job-turns:${queue.name}:clock`, 1_999_998);
    const subjects = ['ada', 'ada', 'ada', 'bob', 'ada', 'bob', 'cyd'];
    for (const subject of subjects) await add(queue, subject, `${subject}-${Math.random()}`);
    const [first] = await app.get(Queues).named(queue.name).getJobs(['prioritized'], 0, 0, true);
    const scores = await app
      .get(RedisConnections)
      .producer()
      .zrange(app.get(Queues).named(queue.name).toKey('prioritized'), 0, -1, 'WITHSCORES');
    expect([first?.data.payload, Number(scores.at(-1)) / 2 ** 32]).toEqual([{ subject: 'ada' }, expect.closeTo(4, 0)]);
    expect(await drain(queue, 7)).toEqual(['ada', 'bob', 'cyd', 'ada', 'bob', 'ada', 'ada']);
    // A worker that reports an earlier round is too far ahead to be valid.
    const before = (await app.get(JobTurns).look(queue, 'dan')).round;
    await app.get(JobTurns).began(queue, 1_999_999);
    expect((await app.get(JobTurns).look(queue, 'dan')).round).toBe(before);
  });

  describe('of members of one subject', () => {
    it('let the first job of a member go before the second of another, who added 1,000', async () => {
      const queue = newQueue();
      await Promise.all(Array.from({ length: 1_000 }, (_, index) => addIn(queue, 'ada', `ada-${index}`)));
      const turns = app.get(JobTurns);
      expect((await turns.look(queue, inCrowd('ada'))).ahead).toBe(1_000);
      expect(await turns.look(queue, inCrowd('bob'))).toMatchObject({ ahead: 1, own: 1_000 });
      await addIn(queue, 'bob', 'bob-1');
      const order = await drain(queue, 1_001);
      expect(order.indexOf('bob')).toBe(1);
    });

    it('hold for jobs that are added at the same time, and BullMQ sees the same order', async () => {
      const queue = newQueue();
      const members = ['ada', 'ada', 'ada', 'ada', 'bob', 'bob', 'cyd'];
      await Promise.all(members.map((member, index) => addIn(queue, member, `${member}-${index}`)));
      const jobs = await app.get(Queues).named(queue.name).getJobs(['prioritized'], 0, -1, true);
      expect(jobs.map(({ priority }) => priority)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      const order = await drain(queue, 7);
      expect([order.slice(0, 3).sort(), order.slice(3, 5).sort(), order.slice(5)]).toEqual([
        ['ada', 'bob', 'cyd'],
        ['ada', 'bob'],
        ['ada', 'ada'],
      ]);
    });

    it('give 100 members no more turns than any other subject', async () => {
      const queue = newQueue();
      await Promise.all(Array.from({ length: 100 }, (_, index) => addIn(queue, `member-${index}`, `m-${index}`)));
      for (let job = 0; job < 20; job++) await add(queue, 'org', `org-${job}`);
      // Nor do those that come later.
      await Promise.all(Array.from({ length: 100 }, (_, index) => addIn(queue, `later-${index}`, `l-${index}`)));
      const order = await drain(queue, 220);
      for (const job of [4, 10, 20])
        expect(order.slice(0, 2 * job).filter((subject) => subject === 'org')).toHaveLength(job);
    });

    it('give a member that withdraws its jobs no disadvantage, and its subject neither', async () => {
      const queue = newQueue();
      for (let job = 0; job < 20; job++) {
        await addIn(queue, 'ada', `dropped-${job}`);
        expect(await app.get(DirectJobs).end(queue, `dropped-${job}`, inCrowd('ada'))).toBe(true);
      }
      await addIn(queue, 'bob', 'bob-1');
      await addIn(queue, 'ada', 'ada-1');
      await addIn(queue, 'bob', 'bob-2');
      await add(queue, 'org', 'org-1');
      expect(await drain(queue, 4)).toEqual(['bob', 'org', 'ada', 'bob']);
    });

    it('give back the turn of the first job when that is withdrawn', async () => {
      const queue = newQueue();
      await addIn(queue, 'ada', 'ada-1');
      await addIn(queue, 'bob', 'bob-1');
      await addIn(queue, 'bob', 'bob-2');
      expect(await app.get(DirectJobs).end(queue, 'ada-1', inCrowd('ada'))).toBe(true);
      await addIn(queue, 'ada', 'ada-2');
      expect(await drain(queue, 3)).toEqual(['bob', 'ada', 'bob']);
    });

    it('continue when the counter restarts', async () => {
      const queue = newQueue();
      await app.get(RedisConnections).producer().set(`job-turns:${queue.name}:clock`, 1_999_998);
      for (const member of ['ada', 'ada', 'ada', 'bob', 'ada', 'bob', 'cyd'])
        await addIn(queue, member, `${member}-${Math.random()}`);
      expect(await drain(queue, 7)).toEqual(['ada', 'bob', 'cyd', 'ada', 'bob', 'ada', 'ada']);
    });

    it('keep nothing of those whose jobs have begun, and all for ten minutes at most', async () => {
      const queue = newQueue();
      for (let job = 0; job < 30; job++) await addIn(queue, `member-${job}`, `m-${job}`);
      await drain(queue, 30);
      await app.get(QueueWorkers).stop(queue.name);
      await addIn(queue, 'ada', 'ada-1');
      const redis = app.get(RedisConnections).producer();
      const keys = ['jobs', 'members'].map((what) => `job-turns:${queue.name}:crowd:${what}`);
      expect(await Promise.all(keys.map((key) => redis.zrange(key, 0, -1)))).toEqual([['ada-1'], ['ada']]);
      for (const key of keys) {
        const ttl = await redis.pttl(key);
        expect(ttl).toBeGreaterThan(0);
        expect(ttl).toBeLessThanOrEqual(600_000);
      }
    });
  });

  it.each([
    ['subjects', (name: string): TurnSubject => name],
    ['members of one', inCrowd],
  ])('stay fair between %s under any sequence of adds, removals and starts', async (_who, subjectOf) => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...SUBJECTS).map((subject): Step => ({ add: subject })) },
      { weight: 1, arbitrary: fc.constantFrom(...SUBJECTS).map((subject): Step => ({ drop: subject })) },
      { weight: 3, arbitrary: fc.constant<Step>('start') },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80 }), async (steps) => {
        const queue = newQueue();
        const worker = new Worker(queue.name, null, {
          connection: app.get(RedisConnections).blocking(),
          autorun: false,
        });
        await worker.waitUntilReady();
        try {
          await requireFairness({ queue, worker, subjectOf }, steps);
        } finally {
          await worker.close();
        }
      }),
      { numRuns: 40 },
    );
  });

  async function requireFairness({ queue, worker, subjectOf }: Tried, steps: readonly Step[]): Promise<void> {
    const addNow = (name: Subject, jobId: string): Promise<void> =>
      app.get(DirectJobs).add(queue, { jobId, payload: { subject: name }, subject: subjectOf(name) });
    const waiting = new Map<Subject, string[]>(SUBJECTS.map((subject) => [subject, []]));
    const began = new Map<string, number>();
    for (const [index, step] of steps.entries()) {
      if (step === 'start') await startNext();
      else if ('add' in step) {
        await addNow(step.add, `${step.add}-${index}`);
        waiting.get(step.add)!.push(`${step.add}-${index}`);
      } else {
        const last = waiting.get(step.drop)!.pop();
        if (last !== undefined) expect(await app.get(DirectJobs).end(queue, last, subjectOf(step.drop))).toBe(true);
      }
      forgetWhoIsIdle();
    }

    async function startNext(): Promise<void> {
      const token = 'test';
      const job = (await worker.getNextJob(token, { block: false })) as Job | undefined;
      const total = [...waiting.values()].flat().length;
      expect(job === undefined).toBe(total === 0);
      if (job === undefined) return;
      await app.get(JobTurns).began(queue, job.priority);
      const subject = (job.data as { payload: Named }).payload.subject as Subject;
      // Its own jobs in their order.
      expect(waiting.get(subject)!.shift()).toBe(job.id);
      for (const [pair, ahead] of began) {
        const [one, other] = pair.split('/');
        if (one === subject) began.set(pair, ahead + 1);
        else if (other === subject) began.set(pair, ahead - 1);
      }
      for (const ahead of began.values()) expect(Math.abs(ahead)).toBeLessThanOrEqual(MOST_AHEAD);
      await job.moveToCompleted(null, token, false);
    }

    /** For each pair with jobs always waiting: how many jobs one is ahead of the other. */
    function forgetWhoIsIdle(): void {
      for (const one of SUBJECTS) {
        for (const other of SUBJECTS) {
          if (one >= other) continue;
          const both = waiting.get(one)!.length > 0 && waiting.get(other)!.length > 0;
          if (!both) began.delete(`${one}/${other}`);
          else if (!began.has(`${one}/${other}`)) began.set(`${one}/${other}`, 0);
        }
      }
    }
  }
});
