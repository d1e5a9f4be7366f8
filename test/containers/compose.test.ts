import { randomBytes } from 'node:crypto';
import { ContainerService } from '../support/container-service.js';
import { freePorts } from '../support/free-port.js';
import { hasPodmanCompose, PodmanCompose, PROJECT } from '../support/podman-compose.js';
import { eventually } from '../support/test-app.js';
import { containerEngine, describeWithContainers } from '../support/with-containers.js';

const MINUTES = 60_000;
const PASSWORD = randomBytes(16).toString('hex');
const ROLES = ['api', 'edge', 'worker', 'databases'] as const;
const SERVICES = ['postgres', 'redis', 'migrate', ...ROLES];
const VOLUMES = ['data', 'postgres', 'redis'];
const NETWORKS = ['inside', 'outside'];
const isThere = hasPodmanCompose();
if (!isThere)
  process.stdout.write(
    '\nLEFT OUT: deploy/compose.yml as it is, for want of podman-compose or of the plug-in dnsname.\n',
  );

/** deploy/compose.yml by podman-compose, as it is, but for what that does not know (docs/operations/containers.md). */
(isThere ? describeWithContainers : describe.skip)('deploy/compose.yml, by podman-compose', () => {
  const engine = containerEngine();
  const nameOf = (name: string): string => `${PROJECT}_${name}_1`;
  let compose: PodmanCompose;
  let service: ContainerService;
  let databasesPort: number;

  const up = async (...services: string[]): Promise<void> => {
    const { status, stderr } = await compose.run(['up', '--detach', '--no-build', ...services], 5 * MINUTES);
    expect({ status, stderr: stderr.slice(-2_000) }).toMatchObject({ status: 0 });
  };
  const healthy = async (...services: string[]): Promise<void> => {
    for (const name of services)
      await eventually(
        async () => (await engine.attempt(['healthcheck', 'run', nameOf(name)])).status === 0,
        `${name} is healthy`,
        60_000,
      );
  };

  beforeAll(async () => {
    const [port, appsPort] = await freePorts();
    [databasesPort] = await freePorts();
    service = new ContainerService(engine, port);
    const keys = ['API_KEY_PEPPER', 'SECRETS_KEY', 'OPS_TOKEN', 'METRICS_TOKEN', 'GRAFANA_PASSWORD'];
    compose = new PodmanCompose(engine, {
      ...Object.fromEntries(keys.map((name) => [name, randomBytes(32).toString('hex')])),
      POSTGRES_PASSWORD: PASSWORD,
      PUBLIC_URL: `http://localhost:${port}`,
      APPS_URL: `http://localhost:${appsPort}`,
      PORT: String(port),
      APPS_PORT: String(appsPort),
      DATABASES_PORT: String(databasesPort),
    });
    await compose.buildImages();
    // With the plug-ins of podman 4.3, names resolve in it and ports are published only if it is not `internal`.
    await engine.podman(['network', 'create', `${PROJECT}_inside`]);
  }, 10 * MINUTES);

  afterAll(async () => {
    await compose.run(['down'], 2 * MINUTES);
    for (const name of SERVICES) await engine.attempt(['rm', '--force', '--time', '0', nameOf(name)]);
    for (const name of VOLUMES) await engine.attempt(['volume', 'rm', '--force', `${PROJECT}_${name}`]);
    for (const name of NETWORKS) await engine.attempt(['network', 'rm', `${PROJECT}_${name}`]);
  }, 5 * MINUTES);

  it(
    'comes up, and migrates by a container that ends',
    async () => {
      // What `depends_on` asks for is waited for here.
      await up('postgres', 'redis');
      await healthy('postgres', 'redis');
      await up('migrate');
      const exitCode = await engine.podman(['wait', nameOf('migrate')], { withinMs: 5 * MINUTES });
      expect({ exitCode, log: await engine.logs(nameOf('migrate')) }).toMatchObject({ exitCode: '0' });
      await up(...ROLES);
    },
    15 * MINUTES,
  );

  it(
    'becomes ready, with sandboxes, the network of apps and databases',
    async () => {
      expect(await service.ready(nameOf('api'))).toMatchObject({
        database: { status: 'up' },
        sandbox: { status: 'up', mode: 'rlimits' },
      });
      await healthy(...ROLES);
    },
    15 * MINUTES,
  );

  it('keeps the data of the services in its volumes', async () => {
    const volumes = await engine.podman(['volume', 'ls', '--format', '{{.Name}}']);
    expect(volumes.split('\n')).toEqual(expect.arrayContaining(VOLUMES.map((name) => `${PROJECT}_${name}`)));
    expect(await engine.podman(['exec', nameOf('postgres'), 'ls', '/var/lib/postgresql/data'])).toMatch(
      /^PG_VERSION$/m,
    );
    expect(await engine.podman(['exec', nameOf('redis'), 'ls', '/data'])).toMatch(/^appendonlydir$/m);
  });

  it('answers the first request of the README', () => service.checkFirstRequest(), 5 * MINUTES);

  it(
    'leads from an account to a page that is live, and to a database',
    async () => {
      const key = await service.checkAccountAndDeploy();
      await service.checkDatabase(key, databasesPort);
    },
    10 * MINUTES,
  );
});
