import { until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { stillRunning } from '../support/processes.js';
import { ServiceProcess, type ServiceOptions } from '../support/service-process.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { flushTestRedis, testRedisUrl } from '../support/test-redis.js';

jest.setTimeout(onThisMachine(150_000));

const PYTHON_RUNS = 'sandbox_executions_total{language="python",outcome="succeeded"}';

describe('roles that share servers', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    await flushTestRedis();
  });

  afterEach(async () => {
    await ServiceProcess.killAll();
    await database.drop();
  });

  const input = (role: NonNullable<ServiceOptions['role']>, env: Record<string, string> = {}): ServiceOptions => ({
    role,
    env: {
      DATABASE_URL: database.url,
      REDIS_URL: testRedisUrl(),
      API_KEY_PEPPER: 'p'.repeat(32),
      SECRETS_KEY: 's'.repeat(32),
      DRAIN_DELAY_MS: '0',
      ...env,
    },
  });

  it('migrates once when two `migrate` start, and an API that waits becomes ready', async () => {
    database = await createTestDatabase({ migrated: false });
    const api = await ServiceProcess.start(input('api'));
    expect(await api.get('/ready')).toMatchObject({
      status: 503,
      body: { status: 'error', details: { migrations: { status: 'down' }, database: { status: 'up' } } },
    });
    expect(await api.get('/health')).toMatchObject({ status: 200 });

    const both = await Promise.all([ServiceProcess.run(input('migrate')), ServiceProcess.run(input('migrate'))]);
    expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    expect(both.map(({ stdout }) => stdout.split('\n')[0]).sort()).toEqual(['Applied:', 'The database is up to date.']);
    await until('the API is ready', async () => (await api.statusOf('/ready')) === 200, 2_000);
  });

  it('runs code of the API on the worker, returns 503 without one, and finishes both at a stop', async () => {
    database = await createTestDatabase();
    const api = await ServiceProcess.start(input('api'));
    const refused = await api.sandbox('python', 'print(1 + 2)');
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: 'sandbox_unavailable', details: { missing: ['a running worker'] } } },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await api.get('/ready')).toMatchObject({
      status: 200,
      body: { details: { sandbox: { status: 'degraded' } } },
    });

    const worker = await ServiceProcess.start(input('worker'));
    expect(await worker.get('/health')).toMatchObject({ status: 200 });
    expect(await worker.get('/ready')).toMatchObject({ status: 200 });
    expect(await worker.sandbox('python', '1')).toMatchObject({ status: 404 });

    await until(
      'the API knows the worker',
      async () => (await api.get('/ready')).body.details.sandbox.status === 'up',
      3_000,
    );
    expect(await api.sandbox('python', 'print(1 + 2)')).toMatchObject({
      status: 200,
      body: { data: { stdout: '3\n' }, meta: { remaining_executions: 9 } },
    });
    expect(await worker.metric(PYTHON_RUNS)).toBe(1);
    expect(await api.metric(PYTHON_RUNS)).toBeUndefined();

    // A stopping worker finishes its run, and a stopping API its request.
    const { answer } = await api.startedRun(2);
    worker.signal('SIGTERM');
    api.signal('SIGTERM');
    expect(await answer).toMatchObject({ status: 200, body: { data: { status: 'succeeded', stdout: 'done\n' } } });
    expect((await api.ended).code).toBe(0);
    expect((await worker.ended).code).toBe(0);
  });

  it('ends a long run of a stopping worker, returns 503 and does not charge it', async () => {
    database = await createTestDatabase();
    const [api, worker] = await Promise.all([
      ServiceProcess.start(input('api')),
      ServiceProcess.start(input('worker')),
    ]);
    const { answer } = await api.startedRun(29);
    const from = performance.now();
    worker.signal('SIGTERM');
    expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'sandbox_unavailable' } } });
    expect((await worker.ended).code).toBe(0);
    // It would have ended itself by then, with another code.
    expect(performance.now() - from).toBeLessThan(25_000);

    await ServiceProcess.start(input('worker'));
    await until(
      'the API knows the new worker',
      async () => (await api.get('/ready')).body.details.sandbox.status === 'up',
    );
    expect((await api.sandbox('python', '1')).body.meta).toMatchObject({ remaining_executions: 9 });
  });

  it('returns 503 when the worker of a run was killed, does not charge it, and serves others', async () => {
    database = await createTestDatabase();
    // The caller waits for as long as a run may wait and take, plus a moment.
    const short = { SANDBOX_TIMEOUT_MS: '1500' };
    const [api, killed] = await Promise.all([
      ServiceProcess.start(input('api', short)),
      ServiceProcess.start(input('worker', short)),
    ]);
    expect((await api.sandbox('python', '1')).body.meta).toMatchObject({ remaining_executions: 9 });

    const { answer } = await api.startedRun(20);
    const family = killed.family();
    killed.signal('SIGKILL');
    await until('the code is gone with its worker', () => stillRunning(family).length === 0, 2_000);

    const next = await ServiceProcess.start(input('worker', short));
    // The lost run is refunded when its caller gets the answer, which may be before or after this.
    expect([7, 8]).toContain((await api.sandbox('python', '1')).body.meta.remaining_executions);
    expect(await next.metric(PYTHON_RUNS)).toBe(1);

    const lost = await answer;
    expect(lost).toMatchObject({ status: 503, body: { error: { code: 'sandbox_unavailable' } } });
    expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.sandbox('python', '1')).body.meta).toMatchObject({ remaining_executions: 7 });
  });
});
