import { SandboxRuntime } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { SandboxStatusService } from '../../src/modules/sandbox/sandbox-status.service.js';
import { JobTurns, type Turn } from '../../src/platform/queues/job-turns.js';
import { Queues } from '../../src/platform/queues/queues.js';
import { as, expectStatus, Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, eventually, randomAddress, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(120_000));

const PATH = '/api/v1/sandbox/executions';
const TRY = '/api/v1/sandbox/try';
const sleepFor = (seconds: number): { language: string; code: string } => ({
  language: 'python',
  code: `import time; time.sleep(${seconds})`,
});
const HELLO = { language: 'python', code: 'print("hello")' };

describe('the sandbox queue', () => {
  const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '1', ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);
  const keyOf = async (plan: 'builder' | 'pro'): Promise<string> => make.key(await make.person({ plan }));
  const queued = async (key: string): Promise<number> => {
    const { data } = (await app.fetch(`${PATH}?limit=100`, as(key))).body;
    return (data as { status: string }[]).filter(({ status }) => status === 'queued').length;
  };
  const settled = (key: string): Promise<void> =>
    eventually(async () => (await queued(key)) === 0, 'all have begun', 60_000);

  it('queues all executions that a plan allows under concurrent requests', async () => {
    const key = await keyOf('pro');
    const answers = await Promise.all(Array.from({ length: 32 }, () => app.post(PATH, sleepFor(0.4), as(key))));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200));
    // The last one waited longer than the ten seconds that once were the most.
    expect(Math.max(...answers.map(({ body }) => body.data.queue_ms as number))).toBeGreaterThan(10_000);
  });

  it('runs the execution of another caller before the backlog of an organization', async () => {
    const [large, small] = [await keyOf('pro'), await keyOf('builder')];
    const queue = app.get(Queues).named('sandbox');
    await queue.pause();
    for (let count = 0; count < 32; count++)
      expectStatus(202, await app.post(PATH, { ...sleepFor(0.3), wait: false }, as(large)));
    await queue.resume();
    const [theirs, anonymous] = await Promise.all([app.post(PATH, HELLO, as(small)), app.post(TRY, HELLO)]);
    expect([theirs.status, anonymous.status]).toEqual([200, 200]);
    expect(await queued(large)).toBeGreaterThan(20);
    await settled(large);
  });

  it('returns 503 with the expected wait when the turn would come too late', async () => {
    const key = await keyOf('builder');
    const turn: Turn = { round: 60, ahead: 60, own: 0, waiting: 60, active: 1 };
    const look = jest.spyOn(app.get(JobTurns), 'look').mockResolvedValue(turn);
    const run = (body: object): Promise<Answer> => app.post(PATH, { ...HELLO, ...body }, as(key));
    const refused = await run({ queue_timeout_ms: 1_000 });
    const patient = await run({ queue_timeout_ms: 300_000, wait: false });
    look.mockRestore();

    expect(patient.status).toBe(202);
    expect(refused.status).toBe(503);
    const { code, details, retry_after: retryAfter } = refused.body.error;
    expect([code, details.max_wait_seconds, refused.headers.get('retry-after')]).toEqual([
      'sandbox_unavailable',
      1,
      String(retryAfter),
    ]);
    // Enough has run by then that the rest finishes within the time that the caller waits.
    expect(Math.abs(details.expected_wait_seconds - details.max_wait_seconds - retryAfter)).toBeLessThanOrEqual(1);
    expect(details.expected_wait_seconds).toBeGreaterThan(1);
  });

  it('returns 503 when the turn did not come in time, and keeps the execution as cancelled', async () => {
    const key = await keyOf('builder');
    const queue = app.get(Queues).named('sandbox');
    const look = jest
      .spyOn(app.get(JobTurns), 'look')
      .mockResolvedValue({ round: 1, ahead: 0, own: 0, waiting: 0, active: 0 });
    await queue.pause();
    const answer = await app.post(PATH, { ...HELLO, queue_timeout_ms: 200 }, as(key)).finally(() => queue.resume());
    look.mockRestore();
    expect([answer.status, answer.body.error.code]).toEqual([503, 'sandbox_unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const [kept] = (await app.fetch(PATH, as(key))).body.data;
    expect([kept.status, kept.started_at, kept.cost]).toEqual(['cancelled', undefined, undefined]);
    const { data: credits } = (await app.fetch('/api/v1/billing/credits', as(key))).body;
    expect(Number(credits.held)).toBe(0);
  });

  it('admits a caller without waiting executions when the queue is full, and nobody else', async () => {
    const key = await keyOf('builder');
    const full: Turn = { round: 1, ahead: 0, own: 0, waiting: 1_000, active: 0 };
    const look = jest.spyOn(app.get(JobTurns), 'look').mockResolvedValue(full);
    const runWith = async (turn: Turn): Promise<number> => {
      look.mockResolvedValue(turn);
      return (await app.post(PATH, HELLO, as(key))).status;
    };
    const statuses = [
      await runWith(full),
      await runWith({ ...full, own: 1 }),
      await runWith({ ...full, waiting: 2_000 }),
    ];
    look.mockRestore();
    expect(statuses).toEqual([200, 503, 503]);
  });

  /** Runs what was queued, and says which programs ran in which order. */
  async function orderOf(queueAll: () => Promise<Promise<Answer>[]>): Promise<string[]> {
    const queue = app.get(Queues).named('sandbox');
    const ran = jest.spyOn(app.get(SandboxRuntime), 'run');
    await queue.pause();
    const answers = await queueAll().finally(() => queue.resume());
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    const order = ran.mock.calls.map(([{ code }]) => code.replace(/^# /, ''));
    ran.mockRestore();
    return order;
  }
  const waiting = async (count: number): Promise<void> =>
    eventually(
      async () => (await app.get(Queues).named('sandbox').getPrioritizedCount()) === count,
      `${count} executions wait`,
      30_000,
    );

  it('lets addresses take turns: a second run of one waits for the first of another', async () => {
    const [first, second] = [randomAddress(), randomAddress()];
    const order = await orderOf(async () => {
      const answers: Promise<Answer>[] = [];
      for (const [name, from] of [
        ['first 1', first],
        ['first 2', first],
        ['second 1', second],
      ] as const) {
        answers.push(app.post(TRY, { language: 'python', code: `# ${name}`, queue_timeout_ms: 28_000 }, { from }));
        await waiting(answers.length);
      }
      return answers;
    });
    expect(order).toEqual(['first 1', 'second 1', 'first 2']);
  });

  it('gives many addresses no more turns than one organization', async () => {
    const key = await keyOf('pro');
    const order = await orderOf(async () => {
      const answers = Array.from({ length: 20 }, () =>
        app.post(TRY, { language: 'python', code: '# anonymous', queue_timeout_ms: 28_000 }),
      );
      await waiting(20);
      for (let count = 0; count < 5; count++)
        answers.push(app.post(PATH, { language: 'python', code: '# organization' }, as(key)));
      await waiting(25);
      return answers;
    });
    expect(order.slice(0, 10).filter((who) => who === 'organization')).toHaveLength(5);
  });

  it('keeps an anonymous caller waiting as long as it says, and no longer', async () => {
    const from = randomAddress();
    const tries = (more: object): Promise<Answer> => app.post(TRY, { ...HELLO, ...more }, { from });
    const status = jest
      .spyOn(app.get(SandboxStatusService), 'status')
      .mockResolvedValue({ available: true, mode: 'rlimits', workers: 1, slots: 1, averageRunMs: 1_000 });
    const look = jest
      .spyOn(app.get(JobTurns), 'look')
      .mockResolvedValue({ round: 15, ahead: 15, own: 15, waiting: 15, active: 0 });
    const [refused, patient] = [await tries({}), await tries({ queue_timeout_ms: 16_000 })];
    look.mockRestore();
    status.mockRestore();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.body.error.details).toEqual({ expected_wait_seconds: 15, max_wait_seconds: 10 });
    expect([patient.status, patient.body.meta.remaining_executions]).toEqual([200, 9]);

    const queue = app.get(Queues).named('sandbox');
    await queue.pause();
    const late = await tries({ queue_timeout_ms: 200 }).finally(() => queue.resume());
    expect([late.status, late.body.error.code]).toEqual([503, 'sandbox_unavailable']);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await tries({})).body.meta.remaining_executions).toBe(8);
  });

  it.each([0, 28_001, 1.5, 'soon', null])('returns 400 for an anonymous queue_timeout_ms %p', async (value) => {
    const { status, body } = await app.post(TRY, { ...HELLO, queue_timeout_ms: value });
    expect([status, body.error.details[0].path]).toEqual([400, 'queue_timeout_ms']);
  });

  it.each([0, 300_001, 1.5, 'soon'])('returns 400 for queue_timeout_ms %p', async (value) => {
    const key = await keyOf('builder');
    const { status, body } = await app.post(PATH, { ...HELLO, queue_timeout_ms: value }, as(key));
    expect([status, body.error.details[0].path]).toEqual([400, 'queue_timeout_ms']);
  });
});
