import { readFileSync } from 'node:fs';
import { ComposedService } from '../support/compose-services.js';
import { SERVICE_IMAGE } from '../support/container-images.js';
import { ContainerService, stopped } from '../support/container-service.js';
import { freePorts } from '../support/free-port.js';
import { containerEngine, describeWithContainers } from '../support/with-containers.js';

const MINUTES = 60_000;
/** What compose gives to the roles that isolate, with the role that `docker run` starts. */
const OPTIONS = new ComposedService('worker');

describeWithContainers('one container with all roles, as its user, without capabilities, on a read-only root', () => {
  const engine = containerEngine();
  let service: ContainerService;
  let databasesPort: number;

  beforeAll(async () => {
    const [port, appsPort] = await freePorts();
    [databasesPort] = await freePorts();
    service = new ContainerService(engine, port);
    await engine.podman(['network', 'create', 'first-hour']);
    await engine.run([
      ...['--name', 'first-hour', '--network', 'first-hour', '--volume', 'first-hour:/data'],
      ...OPTIONS.restrictions(),
      ...OPTIONS.devices(engine.directory),
      // A caller gets addresses with the ports that the container listens on.
      ...['--env', `PORT=${port}`, '--env', `APPS_PORT=${appsPort}`, '--env', `DATABASES_PORT=${databasesPort}`],
      ...[port, appsPort, databasesPort].flatMap((each) => ['--publish', `127.0.0.1:${each}:${each}`]),
      SERVICE_IMAGE,
    ]);
  }, 5 * MINUTES);

  afterAll(async () => {
    await engine.remove('first-hour');
    await engine.podman(['network', 'rm', 'first-hour']);
  }, MINUTES);

  it(
    'becomes ready, with sandboxes and the network of apps',
    async () => {
      expect(await service.ready('first-hour')).toMatchObject({
        sandbox: { status: 'up', mode: 'rlimits' },
        app_network: { status: 'up', mode: 'on' },
        edge: { status: 'up' },
        worker: { status: 'up' },
        databases: { status: 'up' },
      });
    },
    10 * MINUTES,
  );

  it('is healthy by the check that the image declares', async () => {
    await engine.podman(['healthcheck', 'run', 'first-hour']);
  });

  it('runs nothing as root, and nothing with a capability', async () => {
    const status = await engine.podman([
      ...['exec', 'first-hour', 'sh', '-c'],
      'for p in /proc/[0-9]*; do grep -hE "^(Uid|CapEff|CapBnd|NoNewPrivs)" $p/status 2>/dev/null; done; true',
    ]);
    const lines = [...new Set(status.split('\n').map((line) => line.replace(/\s+/g, ' ')))];
    expect(lines.filter((line) => line.startsWith('Uid:'))).toEqual(['Uid: 10001 10001 10001 10001']);
    expect(lines).toContain('NoNewPrivs: 1');
    expect(lines).not.toContain('NoNewPrivs: 0');
    // The first processes of sandboxes have those of a user namespace of their own, which their children lose.
    const own = await engine.podman(['exec', 'first-hour', 'grep', '-hE', '^Cap(Eff|Bnd)', '/proc/1/status']);
    expect(own.match(/0000000000000000/g)).toHaveLength(2);
  });

  it('may have no more tasks than compose gives it', async () => {
    const pid = await engine.podman(['inspect', 'first-hour', '--format', '{{.State.Pid}}']);
    const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
    const ofVersion1 = /^\d+:(?:\S+,)?pids(?:,\S+)?:(.*)$/m.exec(groups)?.[1];
    const group = ofVersion1 === undefined ? /^0::(.*)$/m.exec(groups)![1]! : `/pids${ofVersion1}`;
    expect(readFileSync(`/sys/fs/cgroup${group}/pids.max`, 'utf8').trim()).toBe('4096');
  });

  it('writes nowhere but to /data and /tmp', async () => {
    const { stdout } = await engine.attempt([
      ...['exec', 'first-hour', 'sh', '-c'],
      'for place in / /app /app/dist /etc /usr /var /run /home /data /tmp; do ' +
        'touch $place/written 2>/dev/null && echo $place; done',
    ]);
    expect(stdout.trim().split('\n')).toEqual(['/data', '/tmp']);
  });

  it('answers the first request of the README', () => service.checkFirstRequest(), 5 * MINUTES);

  it(
    'leads from an account to a page that is live, and to a database',
    async () => {
      const key = await service.checkAccountAndDeploy();
      await service.checkDatabase(key, databasesPort);
      // Neither the key nor the password of the account is in the log.
      expect(await engine.logs('first-hour')).not.toMatch(/svc_|a sentence of your own/);
    },
    10 * MINUTES,
  );

  it(
    'ends in order on SIGTERM, within the time that compose gives it',
    async () => {
      const { exitCode, tookMs } = await stopped(engine, 'first-hour', OPTIONS.graceMs);
      expect({ exitCode, logs: (await engine.logs('first-hour')).slice(-500) }).toMatchObject({ exitCode: '0' });
      expect(tookMs).toBeLessThan(OPTIONS.graceMs);
    },
    2 * MINUTES,
  );
});
