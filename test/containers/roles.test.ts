import { randomBytes } from 'node:crypto';
import { ComposedService } from '../support/compose-services.js';
import { SERVICE_IMAGE } from '../support/container-images.js';
import { startPostgres, startRedis } from '../support/container-servers.js';
import { ContainerService, stopped } from '../support/container-service.js';
import { freePorts } from '../support/free-port.js';
import { eventually } from '../support/test-app.js';
import { containerEngine, describeWithContainers } from '../support/with-containers.js';

const MINUTES = 60_000;
const ROLES = ['api', 'edge', 'worker', 'databases'] as const;
const PLACES = ['postgres', 'redis', 'migrate', ...ROLES] as const;
const PASSWORD = randomBytes(16).toString('hex');

/**
 * The containers of deploy/compose.yml with its options, as podman takes them. PostgreSQL and Redis come from Debian,
 * as no registry can be asked for their images.
 */
describeWithContainers('the roles in containers, with the options of deploy/compose.yml', () => {
  const engine = containerEngine();
  const composed = new Map<string, ComposedService>();
  let service: ContainerService;
  let appsPort: number;
  let databasesPort: number;
  let subnet: string;

  /** Names are given as addresses, so that podman needs no server of names. */
  const addressOf = (name: string): string => `${subnet}.${10 + PLACES.indexOf(name as (typeof PLACES)[number])}`;
  const networksOf = (name: string): string[] =>
    composed
      .get(name)!
      .networks.flatMap((network) => [
        '--network',
        network === 'inside' ? `roles-inside:ip=${addressOf(name)}` : `roles-${network}`,
      ])
      .concat(PLACES.flatMap((other) => ['--add-host', `${other}:${addressOf(other)}`]));

  const start = (name: string, args: readonly string[] = []): Promise<string> => {
    const one = composed.get(name)!;
    return engine.run([
      ...['--name', `roles-${name}`, ...networksOf(name), ...one.environment(), ...one.volumes()],
      ...one.restrictions(),
      ...one.devices(engine.directory),
      ...args,
      SERVICE_IMAGE,
      ...one.command,
    ]);
  };

  beforeAll(async () => {
    const [port, apps] = await freePorts();
    appsPort = apps;
    [databasesPort] = await freePorts();
    service = new ContainerService(engine, port);
    const variables = {
      ...Object.fromEntries(
        ['API_KEY_PEPPER', 'SECRETS_KEY', 'OPS_TOKEN', 'METRICS_TOKEN'].map((name) => [
          name,
          randomBytes(32).toString('hex'),
        ]),
      ),
      POSTGRES_PASSWORD: PASSWORD,
      PUBLIC_URL: `http://localhost:${port}`,
      APPS_URL: `http://localhost:${appsPort}`,
    };
    for (const name of PLACES) composed.set(name, new ComposedService(name, variables));
    // Not `--internal`, as compose has it: podman would publish the ports of a container at its address there, to which
    // the machine has no way.
    await engine.podman(['network', 'create', 'roles-inside']);
    await engine.podman(['network', 'create', 'roles-outside']);
    const range = await engine.podman([
      ...['network', 'inspect', 'roles-inside', '--format', '{{range .Subnets}}{{.Subnet}}{{end}}'],
    ]);
    subnet = range.split('.').slice(0, 3).join('.');
    await startPostgres(engine, 'roles-postgres', [
      ...networksOf('postgres'),
      ...composed.get('postgres')!.environment(),
    ]);
    await startRedis(engine, 'roles-redis', { args: networksOf('redis'), command: composed.get('redis')!.command });
  }, 10 * MINUTES);

  afterAll(async () => {
    for (const name of [...PLACES].reverse()) await engine.attempt(['rm', '--force', '--time', '0', `roles-${name}`]);
    for (const network of ['inside', 'outside']) await engine.podman(['network', 'rm', `roles-${network}`]);
    await engine.podman(['volume', 'rm', '--force', 'data']);
  }, 2 * MINUTES);

  it(
    'migrates by a container that ends',
    async () => {
      await start('migrate');
      expect(await engine.podman(['wait', 'roles-migrate'], { withinMs: 5 * MINUTES })).toBe('0');
      expect(await engine.logs('roles-migrate')).toMatch(/^Applied:\n {2}/m);
    },
    10 * MINUTES,
  );

  it(
    'becomes ready, with sandboxes, the network of apps and databases',
    async () => {
      await start('api', ['--publish', `127.0.0.1:${service.port}:3000`]);
      await start('edge', ['--publish', `127.0.0.1:${appsPort}:3001`]);
      await start('worker');
      await start('databases', ['--publish', `127.0.0.1:${databasesPort}:5433`]);
      expect(await service.ready('roles-api')).toMatchObject({
        database: { status: 'up' },
        sandbox: { status: 'up', mode: 'rlimits' },
      });
      for (const name of ROLES)
        await eventually(
          async () => (await engine.attempt(['healthcheck', 'run', `roles-${name}`])).status === 0,
          `${name} is healthy`,
          60_000,
        );
    },
    15 * MINUTES,
  );

  it('answers the first request of the README', () => service.checkFirstRequest(), 5 * MINUTES);

  it(
    'leads from an account to a page that is live, and to a database',
    async () => {
      const key = await service.checkAccountAndDeploy();
      await service.checkDatabase(key, databasesPort);
    },
    10 * MINUTES,
  );

  it('writes no password into the log', async () => {
    for (const name of ROLES) expect(await engine.logs(`roles-${name}`)).not.toContain(PASSWORD);
  });

  it.each(ROLES)(
    'ends %s in order on SIGTERM, within the time that compose gives it',
    async (name) => {
      const { graceMs } = composed.get(name)!;
      const { exitCode, tookMs } = await stopped(engine, `roles-${name}`, graceMs);
      expect(exitCode).toBe('0');
      expect(tookMs).toBeLessThan(graceMs);
    },
    2 * MINUTES,
  );
});
