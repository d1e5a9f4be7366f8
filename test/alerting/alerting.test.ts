import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import { ServiceProcess } from '../support/service-process.js';
import { eventually } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { testRedisUrl } from '../support/test-redis.js';
import { Monitoring, PROMETHEUS } from './programs.js';

const OPS_TOKEN = 'an-ops-token-for-the-tests';
const METRICS_TOKEN = 'a-metrics-token-for-the-tests';
const SECRET = 'a-secret-of-the-tests-that-is-long-enough';

/** `SandboxDown` holds for a minute before it fires, and machines may be slow. */
const FIRES_WITHIN_MS = 180_000;

interface Task {
  readonly id: string;
  readonly title: string;
  readonly runbookTag: string;
  readonly status: string;
  readonly labels: { readonly alertname: string };
}

describe('with a real Prometheus and a real Alertmanager', () => {
  const monitoring = new Monitoring();
  let database: TestDatabase;
  let settings: Record<string, string>;
  let api: ServiceProcess;
  let worker: ServiceProcess;

  const ask = async (
    path: string,
    token = OPS_TOKEN,
    body?: object,
  ): Promise<{ status: number; text: string; body: any }> => {
    const answer = await fetch(api.url + path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      text,
      body: /json/.test(answer.headers.get('content-type') ?? '') ? (JSON.parse(text) as unknown) : undefined,
    };
  };
  const tasksOf = async (alertname: string): Promise<Task[]> => {
    const { status, body } = await ask('/ops/tasks?limit=100');
    return status === 200 ? (body.tasks as Task[]).filter(({ labels }) => labels.alertname === alertname) : [];
  };

  beforeAll(async () => {
    console.log(execFileSync(PROMETHEUS, ['--version'], { encoding: 'utf8' }).split('\n')[0]);
    database = await createTestDatabase();
    settings = {
      DATABASE_URL: database.url,
      REDIS_URL: testRedisUrl(),
      OPS_TOKEN,
      METRICS_TOKEN,
      API_KEY_PEPPER: SECRET,
      SECRETS_KEY: SECRET,
      REDIS_TIMEOUT_MS: '2000',
    };
    api = await ServiceProcess.start({ role: 'api', env: settings });
    worker = await ServiceProcess.start({ role: 'worker', env: settings });
    await eventually(async () => (await ask('/ready')).body.status === 'ok', 'the sandbox is up', 60_000);
    await monitoring.start({ service: new URL(api.url).host, opsToken: OPS_TOKEN, metricsToken: METRICS_TOKEN });
  }, 300_000);

  afterAll(async () => {
    await monitoring.stop();
    await ServiceProcess.killAll();
    await database.drop();
  }, 60_000);

  it('receives Watchdog as a task', async () => {
    await eventually(async () => (await tasksOf('Watchdog')).length === 1, 'the task of Watchdog', 60_000);
    expect((await tasksOf('Watchdog'))[0]).toMatchObject({
      runbookTag: 'operations',
      status: 'open',
      title: 'Alerts are delivered',
    });
  }, 90_000);

  it('opens a task with its runbook for a fault during an outage, and resolves it after recovery', async () => {
    expect(await tasksOf('SandboxDown')).toEqual([]);
    // The fault: nobody is left who can run code.
    worker.signal('SIGTERM');
    await worker.ended;
    // The alert fires while the database is unavailable: the service answers 503, and Alertmanager retries.
    const outage = await Outage.begin(database.url);
    try {
      await eventually(
        async () => (await monitoring.firing()).includes('SandboxDown'),
        'SandboxDown fires',
        FIRES_WITHIN_MS,
      );
      await eventually(
        async () => {
          const { text } = await ask('/metrics', METRICS_TOKEN);
          return /^http_requests_total\{[^}]*route="\/ops\/alert"[^}]*status="503"[^}]*\} [1-9]/m.test(text);
        },
        'the service refuses an alert',
        120_000,
      );
    } finally {
      await outage.end();
    }

    await eventually(async () => (await tasksOf('SandboxDown')).length === 1, 'the task of SandboxDown', 180_000);
    const [task] = await tasksOf('SandboxDown');
    expect(task).toMatchObject({ runbookTag: 'sandbox', status: 'open', title: 'The sandbox cannot run code' });

    // What an agent does, with nothing but what `/ops` says.
    const { body: manifest } = await ask('/ops');
    expect(manifest).toMatchObject({ status: 'degraded', parts: { sandbox: { status: 'degraded' } } });
    expect(manifest.tasks.byTag).toMatchObject({ sandbox: 1 });
    const runbook = manifest.runbooks.find(({ tag }: { tag: string }) => tag === task!.runbookTag);
    const [check] = runbook.steps;
    expect((await ask(check.command.path)).text).toContain('sandbox');
    expect((await ask(`/ops/tasks/${task!.id}/claim`, OPS_TOKEN, { agent: 'on-call' })).status).toBe(200);

    worker = await ServiceProcess.start({ role: 'worker', env: settings });
    await eventually(
      async () => (await tasksOf('SandboxDown')).every(({ status }) => status === 'resolved'),
      'the task is resolved',
      FIRES_WITHIN_MS,
    );
    const after = await tasksOf('SandboxDown');
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ id: task!.id, status: 'resolved', resolvedBy: 'alert' });
  }, 600_000);
});

/** A database that takes nobody in. */
class Outage {
  private constructor(
    private readonly admin: Client,
    private readonly database: string,
    private readonly timer: NodeJS.Timeout,
  ) {}

  static async begin(databaseUrl: string): Promise<Outage> {
    const url = new URL(databaseUrl);
    const database = url.pathname.slice(1);
    url.pathname = '/postgres';
    const admin = new Client({ connectionString: url.toString() });
    await admin.connect();
    await admin.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
    const evict = (): void => {
      void admin
        .query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database])
        .catch(() => undefined);
    };
    evict();
    return new Outage(admin, database, setInterval(evict, 500));
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.admin.query(`ALTER DATABASE "${this.database}" ALLOW_CONNECTIONS true`);
    await this.admin.end();
  }
}
