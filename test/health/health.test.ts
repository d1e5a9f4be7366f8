import { Client } from 'pg';
import { DatabaseHealth } from '../../src/platform/database/database-health.js';
import { Shutdown } from '../../src/platform/lifecycle/shutdown.js';
import { eventually, TestApp, useApp, WITH_SANDBOX } from '../support/test-app.js';
import { withAdmin } from '../support/test-database.js';
import { RedisRelay } from '../support/redis-relay.js';

describe('GET /health', () => {
  const app = useApp(WITH_SANDBOX, 'all');

  it('returns 200 without checking dependencies', async () => {
    const answer = await app.fetch('/health');
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
  });

  it('has the ids and the security headers of every response', async () => {
    const { headers } = await app.fetch('/health');
    for (const name of ['x-request-id', 'x-trace-id', 'x-content-type-options', 'content-security-policy'])
      expect(headers.has(name)).toBe(true);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    expect(headers.has('strict-transport-security')).toBe(false);
  });
});

describe('a service whose PUBLIC_URL is https', () => {
  const app = useApp({ PUBLIC_URL: 'https://api.test' });

  it('has HSTS for a year in every answer, errors and refused requests among them', async () => {
    const header = 'max-age=31536000; includeSubDomains';
    for (const path of ['/health', '/api/v1/me', '/nowhere', '/docs/api'])
      expect((await app.fetch(path)).headers.get('strict-transport-security')).toBe(header);
    expect(await app.raw(Buffer.from('hello\r\n\r\n'), { port: app.port })).toContain(
      `Strict-Transport-Security: ${header}`,
    );
  });
});

describe('GET /ready', () => {
  const app = useApp(WITH_SANDBOX, 'all');

  // A part that does not answer within a second is down, and a machine that is busy with other tests takes longer.
  beforeEach(() => eventually(async () => (await app.fetch('/ready')).status === 200, 'the service is ready', 60_000));

  it('returns each part with its state, without hosts, ports or causes', async () => {
    const answer = await app.fetch('/ready');
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe('ok');
    expect(Object.keys(answer.body.details as object).sort()).toEqual([
      'app_network',
      'database',
      'image_builds',
      'migrations',
      'queues',
      'redis',
      'sandbox',
      'storage',
    ]);
    expect(answer.body.details.sandbox).toMatchObject({ status: 'up', workers: 1 });
    expect(answer.text).not.toMatch(/127\.0\.0\.1|\.sock|postgres:|5432/);
  });

  it('checks the parts at most twice a second', async () => {
    const pings = jest.spyOn(app.get(DatabaseHealth), 'ping');
    const fromMs = performance.now();
    await Promise.all(Array.from({ length: 50 }, () => app.fetch('/ready')));
    const tookMs = performance.now() - fromMs;
    expect(pings.mock.calls.length).toBeLessThanOrEqual(1 + Math.ceil(tookMs / 500));
    pings.mockRestore();
  });

  it('returns 503 shutting_down as soon as the service stops, while calls are still answered', async () => {
    app.get(Shutdown).beginDraining();
    const answer = await app.fetch('/ready');
    expect([answer.status, answer.body.status]).toEqual([503, 'shutting_down']);
    expect((await app.fetch('/api/v1')).status).toBe(200);
    expect((await app.fetch('/api/v1')).headers.get('connection')).toBe('close');
  });
});

describe('while the database is unavailable', () => {
  const app = useApp(WITH_SANDBOX, 'all');

  it('returns 503 without a cause, and recovers after all connections were killed', async () => {
    const name = new URL(app.config.databaseUrl!).pathname.slice(1);
    await withAdmin((admin) => admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`));
    await withAdmin((admin) =>
      admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]),
    );
    await eventually(
      async () => (await app.fetch('/ready')).status === 503,
      '/ready reports that the database is unavailable',
      2_500,
    );

    const answer = await app.fetch('/ready');
    expect(answer.body).toMatchObject({
      status: 'error',
      error: { database: { status: 'down', message: 'does not answer' } },
    });
    expect((await app.fetch('/health')).status).toBe(200);
    expect((await app.fetch('/api/v1')).status).toBe(200);

    await withAdmin((admin) => admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
    await eventually(async () => (await app.fetch('/ready')).status === 200, '/ready recovers', 5_000);
  });

  it('returns 503 for a database without migrations', async () => {
    const client = new Client({ connectionString: app.config.databaseUrl });
    await client.connect();
    await client.query('DELETE FROM migrations');
    await client.end();
    await eventually(async () => (await app.fetch('/ready')).status === 503, 'not ready', 2_000);
    expect((await app.fetch('/ready')).body.error).toMatchObject({
      migrations: { status: 'down', message: expect.stringMatching(/not applied/) },
    });
  });
});

describe('while Redis is unavailable', () => {
  let relay: RedisRelay;
  let app: TestApp;

  beforeAll(async () => {
    relay = await RedisRelay.start();
    app = new TestApp({ ...WITH_SANDBOX, REDIS_URL: relay.url }, 'all');
    await app.start({ redisUrl: relay.url });
  });
  afterAll(async () => {
    await app.stop();
    await relay.stop();
  });

  const run = (): ReturnType<TestApp['post']> =>
    app.post('/api/v1/sandbox/try', { language: 'python', code: 'print(1)' });

  it('returns 503 from /ready and the sandbox, answers other calls, and recovers', async () => {
    expect((await run()).status).toBe(200);

    relay.cut();
    await eventually(
      async () => (await app.fetch('/ready')).status === 503,
      '/ready reports that Redis is unavailable',
      2_500,
    );
    expect((await app.fetch('/ready')).body.error).toMatchObject({ redis: { status: 'down' } });
    const refused = await run();
    expect([refused.status, refused.body.error.code]).toEqual([503, 'service_unavailable']);
    expect(refused.headers.has('retry-after')).toBe(true);
    expect((await app.fetch('/api/v1')).status).toBe(200);

    relay.mend();
    await eventually(async () => (await app.fetch('/ready')).status === 200, '/ready recovers', 5_000);
    await eventually(async () => (await run()).status === 200, 'the sandbox runs again', 10_000);
  });
});
