import { Worker } from 'bullmq';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { EventStream } from '../support/event-stream.js';
import { as, expectStatus, Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { ServiceProcess } from '../support/service-process.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(120_000));

const PATH = '/api/v1/sandbox/executions';
const SLEEPS = { language: 'python', code: 'import time\ntime.sleep(20)', timeout_ms: 2_000 };

describe('a sandbox worker that is killed', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);

  afterEach(() => ServiceProcess.killAll());

  const startWorker = (): Promise<ServiceProcess> =>
    ServiceProcess.start({
      role: 'worker',
      env: {
        DATABASE_URL: app.config.databaseUrl!,
        REDIS_URL: app.config.redisUrl!,
        DATA_DIR: app.dataDirectory,
        API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
        SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
        SANDBOX_CONCURRENCY: '2',
      },
    });

  it('loses only what it ran, and the next worker runs what waits', async () => {
    const key = await make.key(await make.person({ plan: 'builder' }));
    const statusOf = async (id: string): Promise<unknown> =>
      (await app.fetch(`${PATH}/${id}`, as(key))).body.data.status;
    const heldOf = async (by: string): Promise<number> =>
      Number((await app.fetch('/api/v1/billing/credits', as(by))).body.data.held);
    const start = async (body: object): Promise<string> =>
      expectStatus(202, await app.post(PATH, { ...body, wait: false }, as(key))).body.data.id as string;

    const doomed = await startWorker();
    const running = await start(SLEEPS);
    const awaited = app.post(PATH, SLEEPS, as(key));
    await eventually(async () => (await doomed.metric('sandbox_executions_running')) === 2, 'both run', 10_000);
    const waiting = await start({ language: 'python', code: 'print("ran")' });
    const heldForThree = await heldOf(key);
    process.kill(doomed.pid, 'SIGKILL');

    // A waiting caller gets an answer, which only says that the run was lost.
    const answer = await awaited;
    expect([answer.status, answer.body.error.code]).toEqual([503, 'sandbox_unavailable']);

    // Its time limit, ten seconds more, and what a busy machine takes; no worker lives.
    await eventually(async () => (await statusOf(running)) === 'lost', 'what the killed one ran is given up', 20_000);
    expect(await heldOf(key)).toBeLessThan(heldForThree);

    await startWorker();
    await eventually(async () => (await statusOf(waiting)) === 'succeeded', 'the next worker runs what waited', 30_000);
    expect(await heldOf(key)).toBe(0);
    const { data } = (await app.fetch(PATH, as(key))).body;
    expect(data.map(({ status }: { status: string }) => status).sort()).toEqual(['lost', 'lost', 'succeeded']);
  });

  it('ends the streams of what it ran with an error', async () => {
    const key = await make.key(await make.person({ plan: 'builder' }));
    const doomed = await startWorker();
    const body = { ...SLEEPS, code: `print("began")\n${SLEEPS.code}` };
    const streams = [
      await EventStream.open(app, PATH, { method: 'POST', body, ...as(key) }),
      await EventStream.open(app, PATH, { method: 'POST', body: { ...body, wait: false }, ...as(key) }),
    ];
    await Promise.all(streams.map((stream) => stream.has('stdout')));
    process.kill(doomed.pid, 'SIGKILL');

    await Promise.all(streams.map(({ ended }) => ended));
    for (const stream of streams) {
      expect(stream.types).toEqual(['execution', 'stdout', 'error', 'end']);
      expect(stream.data('error').error).toMatchObject({ type: 'api_error', code: 'sandbox_unavailable', status: 503 });
    }
  });

  it('returns jobs that it had not started to the queue', async () => {
    const key = await make.key(await make.person({ plan: 'builder' }));
    const path = expectStatus(
      202,
      await app.post(PATH, { language: 'python', code: 'print("ran")', wait: false }, as(key)),
    ).body.data.id as string;
    // This simulates a worker that dies between Redis and the database.
    const dying = new Worker('sandbox', null, {
      connection: app.get(RedisConnections).blocking(),
      autorun: false,
      lockDuration: 1_000,
    });
    expect((await dying.getNextJob('dying', { block: false })).id).toBe(path);
    await dying.close(true);

    await startWorker();
    // Workers look for jobs without a worker every half minute, and take one that they have seen so twice.
    await eventually(
      async () => (await app.fetch(`${PATH}/${path}`, as(key))).body.data.status === 'succeeded',
      'another runs it',
      90_000,
    );
  });
});
