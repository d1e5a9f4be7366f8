import { join } from 'node:path';
import { Client } from 'pg';
import { isRunning, until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { stillRunning } from '../support/processes.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';

jest.setTimeout(onThisMachine(150_000));

describe('a service whose own servers die', () => {
  let dataDir: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    dataDir = makeMemoryDirectory();
    service = await ServiceProcess.start({ env: { DATA_DIR: dataDir, SANDBOX_EXECUTIONS_PER_DAY: '1000' } });
  });

  afterAll(async () => {
    await ServiceProcess.killAll();
    removeScratchDirectory(dataDir);
  });

  it.each([
    ['redis-server', ['redis', 'queues']],
    ['postgres', ['database', 'migrations']],
  ] as const)('is unready after losing %s, restarts it and recovers', async (name, parts) => {
    const before = (await service.sandbox('python', '1')).body.meta.remaining_executions as number;
    const server = service.server(name);
    process.kill(server.pid, 'SIGKILL');

    await until('/ready says 503', async () => (await service.statusOf('/ready')) === 503, 6_000);
    const { body } = await service.get('/ready');
    if (body.status === 'error') expect(parts.some((part) => part in body.error)).toBe(true);
    expect(await service.get('/health')).toMatchObject({ status: 200 });

    // The worker reports once a second what it can do: until then nobody knows of it.
    await until(
      '/ready says 200 again, and the sandbox is up',
      async () => {
        const answer = await service.get('/ready').catch(() => undefined);
        return answer?.status === 200 && answer.body.details.sandbox.status === 'up';
      },
      30_000,
    );
    expect(service.server(name).pid).not.toBe(server.pid);
    expect(isRunning(service.pid)).toBe(true);
    // Counts on from where it was: what Redis had acknowledged is not lost with it.
    expect(await service.sandbox('python', 'print(1 + 2)')).toMatchObject({
      status: 200,
      body: { data: { stdout: '3\n' }, meta: { remaining_executions: before - 1 } },
    });
    const line = `"server":"${name === 'postgres' ? 'PostgreSQL' : 'Redis'}","msg":"Started again`;
    await until('the log says so', () => service.log.includes(line), 10_000);
  });

  it("answers in the API's format while Redis is unavailable, and counts nothing", async () => {
    const before = (await service.sandbox('python', '1')).body.meta.remaining_executions as number;
    process.kill(service.server('redis-server').pid, 'SIGSTOP');
    try {
      const answer = await service.sandbox('python', '1');
      expect(answer).toMatchObject({ status: 503, body: { error: { type: 'api_error', status: 503 } } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      await until('/ready says 503', async () => (await service.statusOf('/ready')) === 503, 6_000);
    } finally {
      process.kill(service.server('redis-server').pid, 'SIGCONT');
    }
    await until('/ready says 200 again', async () => (await service.statusOf('/ready')) === 200, 30_000);
    await until('runs are counted on', async () => {
      const { status, body } = await service.sandbox('python', '1');
      return status === 200 && (body.meta.remaining_executions as number) >= before - 3;
    });
  });

  it('survives the end of all database connections', async () => {
    const client = new Client({ host: join(dataDir, 'postgres/run'), user: 'app', database: 'postgres', port: 5432 });
    await client.connect();
    const { rows } = await client.query<{ ended: number }>(
      `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    await client.end();
    expect(rows[0]!.ended).toBeGreaterThan(0);

    await until('/ready says 200', async () => (await service.statusOf('/ready')) === 200, 3_000);
    expect(isRunning(service.pid)).toBe(true);
    expect(await service.sandbox('python', '1')).toMatchObject({ status: 200 });
  });

  it('still stops in order afterwards', async () => {
    const family = service.family();
    service.signal('SIGINT');
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(stillRunning(family)).toEqual([]);
  });
});
