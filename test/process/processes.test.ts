import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { stillRunning } from '../support/processes.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';

jest.setTimeout(onThisMachine(240_000));

const ROLES = ['api', 'edge', 'worker', 'databases'] as const;

describe('the processes of the role all', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = makeMemoryDirectory();
  });
  afterEach(async () => {
    await ServiceProcess.killAll();
    removeScratchDirectory(dataDir);
  });

  it('are restarted when they die while the others and the API keep working, and end with the supervisor', async () => {
    const service = await ServiceProcess.start({ env: { DATA_DIR: dataDir } });
    expect((await service.get('/ready')).body.details).toMatchObject({
      edge: { status: 'up' },
      worker: { status: 'up' },
    });
    for (const role of ROLES) {
      const before = new Map(ROLES.map((each) => [each, service.processOf(each).pid]));
      process.kill(before.get(role)!, 'SIGKILL');
      await until(
        `${role} runs again`,
        () => pidOf(service, role) !== undefined && pidOf(service, role) !== before.get(role),
        20_000,
      );
      await until(
        'all are up',
        async () =>
          (await service.metric(`service_process_up{role="${role}"}`).catch(() => undefined)) === 1 &&
          (await service.statusOf('/ready')) === 200,
        60_000,
      );
      await until(
        'each answers',
        async () => (await appsStatus(service)) === 404 && (await service.sandbox('python', 'print(1)')).status === 200,
        60_000,
      );
      for (const other of ROLES) if (other !== role) expect(service.processOf(other).pid).toBe(before.get(other));
      expect(await service.metric(`service_process_restarts{role="${role}"}`)).toBe(1);
      expect(service.log).toContain(`"role":"${role}","msg":"Started again.`);
    }
    const text = String((await service.get('/metrics')).body);
    for (const role of ROLES) expect(text).toMatch(new RegExp(`^build_info\\{[^}]*process="${role}"`, 'm'));
    expect(text.match(/^# TYPE build_info /gm)).toHaveLength(1);
    const processes = new Set(
      service.log
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { process?: string }).process),
    );
    expect([...processes].sort()).toEqual(['all', ...ROLES].sort());

    const family = service.family();
    // A stopped process is too busy to notice: it runs none of its own code.
    for (const role of ROLES) process.kill(service.processOf(role).pid, 'SIGSTOP');
    service.signal('SIGKILL');
    await until('all that it started is gone', () => stillRunning(family).length === 0, 10_000);
  });

  it('stop with a message when one dies five times within a minute, and leave nothing behind', async () => {
    const service = await ServiceProcess.start({ env: { DATA_DIR: dataDir, SANDBOX_ENABLED: 'false' } });
    const family = service.family();
    let killed: number | undefined;
    let found: number | undefined;
    const findAnother = (): boolean => {
      // A process is seen without its name for a moment while it starts, so the same look has to be used.
      found = pidOf(service, 'edge');
      return found !== undefined && found !== killed;
    };
    for (let death = 0; death < 5; death++) {
      await until('there is one to kill', findAnother, 30_000);
      killed = found!;
      process.kill(killed, 'SIGKILL');
    }
    const { code, stderr } = await service.ended;
    expect(code).toBe(1);
    expect(stderr).toContain(
      'The process edge died five times within a minute, ' +
        'so the service stops. The process edge ended (signal SIGKILL).',
    );
    expect(stillRunning(family)).toEqual([]);
  });

  it('refuse to start when the port for deploys is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const { code, stderr } = await ServiceProcess.run({ env: { DATA_DIR: dataDir, APPS_PORT: String(port) } });
      expect(code).toBe(1);
      expect(stderr).toBe(
        `\nPort ${port} is in use. Set APPS_PORT to another port, or stop the program that uses it.\n`,
      );
      for (const pidFile of ['redis/data/redis.pid', 'postgres/data/postmaster.pid'])
        expect(existsSync(join(dataDir, pidFile))).toBe(false);
      // A message that cannot be written must not keep the process, nor become an error that is reported in turn.
      expect((await ServiceProcess.runUnread({ env: { DATA_DIR: dataDir, APPS_PORT: String(port) } })).code).toBe(1);
    } finally {
      other.close();
    }
  });

  it('name the successor of a removed setting', async () => {
    const { code, stderr } = await ServiceProcess.run({
      env: { DATA_DIR: dataDir, APPS_DOMAIN: 'apps.example.com', APPS_PORT: '3000', PORT: '3000' },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/APPS_DOMAIN was replaced by APPS_URL[^]*APPS_PORT must be another port than PORT/);
  });
});

function pidOf(service: ServiceProcess, role: (typeof ROLES)[number]): number | undefined {
  try {
    return service.processOf(role).pid;
  } catch {
    return undefined;
  }
}

const appsStatus = (service: ServiceProcess): Promise<number> =>
  fetch(`http://127.0.0.1:${service.appsPort}/`).then(
    ({ status }) => status,
    () => 0,
  );
