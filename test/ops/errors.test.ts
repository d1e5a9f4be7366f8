import { Worker } from 'bullmq';
import { CreditBalanceService } from '../../src/modules/credits/credit-balance.service.js';
import { ScheduleLeases } from '../../src/platform/background/schedule-leases.js';
import { Queues } from '../../src/platform/queues/queues.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { as, expectStatus, Make } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

const TOKEN = 'an-ops-token-for-the-tests';
const CANARY = 'a-secret-in-a-message';
const PATH = '/ops/errors';
const OLD = JSON.stringify({
  at: '2026-11-21T00:00:00.000Z',
  requestId: 'req_old',
  method: 'GET',
  route: '/',
  status: 500,
  code: 'internal_error',
  name: 'Error',
});

const OPERATOR = { headers: { authorization: `Bearer ${TOKEN}` } };

describe('GET /ops/errors', () => {
  const app = useApp({ OPS_TOKEN: TOKEN }, 'api');
  const make = new Make(app);
  const errors = async (): Promise<any> => expectStatus(200, await app.fetch(PATH, OPERATOR)).body;

  it('is closed without the token, and to people who are no operators', async () => {
    expect((await app.fetch(PATH)).body.error).toMatchObject({ status: 401, code: 'invalid_token' });
    expect((await app.fetch(PATH, as(await make.person()))).status).toBe(401);
  });

  it('shows requests that failed by their ids and routes, without what their errors say', async () => {
    const person = await make.person();
    const broken = jest.spyOn(app.get(CreditBalanceService), 'of').mockRejectedValue(new TypeError(CANARY));
    const answer = await app.fetch('/api/v1/billing/credits', as(person));
    broken.mockRestore();
    expect(answer.status).toBe(500);
    const requestId = answer.body.meta.request_id as string;
    await eventually(async () => (await errors()).requests[0]?.requestId === requestId, 'it is noted');
    const { requests } = await errors();
    expect(requests[0]).toEqual({
      at: expect.stringMatching(/Z$/),
      requestId,
      method: 'GET',
      route: '/api/v1/billing/credits',
      status: 500,
      code: 'internal_error',
      name: 'TypeError',
    });
    expect(JSON.stringify(requests)).not.toContain(CANARY);
  });

  it('keeps a hundred at most, and notes ten of a second', async () => {
    const person = await make.person();
    const broken = jest.spyOn(app.get(CreditBalanceService), 'of').mockRejectedValue(new RangeError(CANARY));
    const redis = app.get(RedisConnections).fast();
    await redis.lpush('recent-errors', ...Array.from({ length: 150 }, () => OLD));
    await Promise.all(Array.from({ length: 30 }, () => app.fetch('/api/v1/billing/credits', as(person))));
    broken.mockRestore();
    await eventually(async () => (await redis.llen('recent-errors')) === 100, 'the oldest are gone');
    const { requests } = await errors();
    expect(requests).toHaveLength(100);
    expect(requests.filter(({ name }: { name?: string }) => name === 'RangeError').length).toBeLessThan(30);
    expect(await redis.ttl('recent-errors')).toBeGreaterThan(86_400);
  });

  /** Adds a job that fails for good, and returns its id. */
  async function failedJob(): Promise<string> {
    const queue = app.get(Queues).named('auth-mail');
    const { id } = await queue.add('auth-mail', { payload: {}, correlation: {} } as never, { attempts: 1 });
    const worker = new Worker('auth-mail', null, { connection: app.get(RedisConnections).blocking(), autorun: false });
    const job = await worker.getNextJob('a-test', { block: false });
    await job.moveToFailed(new Error('x'.repeat(1_000)), 'a-test', false);
    await worker.close(true);
    return id!;
  }

  it('shows jobs that failed for good, with the beginning of their last error', async () => {
    const id = await failedJob();
    const { jobs } = await errors();
    expect(jobs).toContainEqual({
      queue: 'auth-mail',
      id,
      reason: 'x'.repeat(300),
      attempts: 1,
      failedAt: expect.stringMatching(/Z$/),
    });
    await app.get(Queues).named('auth-mail').remove(id);
  });

  describe('POST /ops/queues/:queue/jobs/:job_id/retry', () => {
    const retry = (
      queue: string,
      id: string,
      options: ReturnType<typeof as> = OPERATOR,
    ): ReturnType<typeof app.fetch> => app.call('POST', `/ops/queues/${queue}/jobs/${id}/retry`, options);

    it('puts a failed job back with all its attempts, once', async () => {
      const id = await failedJob();
      const answers = await Promise.all([retry('auth-mail', id), retry('auth-mail', id)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
      const queue = app.get(Queues).named('auth-mail');
      const job = await queue.getJob(id);
      await expect(job?.getState()).resolves.toBe('waiting');
      expect(job).toMatchObject({ attemptsMade: 0 });
      const { jobs } = await errors();
      expect(jobs.map((each: { id: string }) => each.id)).not.toContain(id);
      expect((await retry('auth-mail', id)).body.error).toMatchObject({ status: 404, code: 'failed_job_not_found' });
      await queue.remove(id);
    });

    it('knows no other queues and jobs, and is closed to callers who are no operators', async () => {
      for (const [queue, id] of [
        ['auth-mail', 'unknown'],
        ['unknown', '1'],
        ['auth-mail', '..%2F..'],
      ] as const)
        expect((await retry(queue, id)).body.error).toMatchObject({ status: 404, code: 'failed_job_not_found' });
      expect((await retry('auth-mail', '1', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
      expect((await retry('auth-mail', '1', as(await make.person()))).status).toBe(401);
    });
  });

  describe('GET /ops/schedules', () => {
    const list = (): ReturnType<typeof app.fetch> => app.fetch('/ops/schedules', OPERATOR);

    it('says when each ran and is due, and nothing of one that never ran', async () => {
      const leases = app.get(ScheduleLeases);
      const lease = await leases.take('expired-claims', 'a-test', 0);
      const named = async (): Promise<any> =>
        expectStatus(200, await list()).body.schedules.find(({ name }: any) => name === 'expired-claims');
      await expect(named()).resolves.toMatchObject({ running: true });
      await lease!.release(true);
      const { lastSuccessAt, dueAt, everySeconds, running } = await named();
      expect(running).toBe(false);
      expect(Date.parse(dueAt) - Date.parse(lastSuccessAt)).toBe(everySeconds * 1_000);
      const { schedules } = (await list()).body;
      expect(schedules.some((each: object) => !('lastSuccessAt' in each) && !('dueAt' in each))).toBe(true);
    });

    it('is closed to callers who are no operators', async () => {
      expect((await app.fetch('/ops/schedules')).status).toBe(401);
      expect((await app.fetch('/ops/schedules', as(await make.person()))).status).toBe(401);
    });
  });
});
