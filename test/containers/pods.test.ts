import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { MODULES, render } from '../helm/helm.js';
import { command } from '../support/container-engine.js';
import { startPostgres, startRedis } from '../support/container-servers.js';
import { ContainerService } from '../support/container-service.js';
import { freePorts } from '../support/free-port.js';
import { CHART_IMAGE, KubePods, type PublishedPorts } from '../support/kube-pods.js';
import { S3Peer } from '../support/s3-peer.js';
import { containerEngine, describeWithContainers } from '../support/with-containers.js';

const MINUTES = 60_000;
const PASSWORD = randomBytes(16).toString('hex');
const ROLES = ['api', 'edge', 'worker'] as const;
const PLACES = ['postgres', 'redis', 'migrate', ...ROLES] as const;
const NAME = 'test-service-platform';
const SECRET = 'service-platform';
const BUCKETS = ['ARTIFACTS_URL', 'OBJECTS_URL', 'SANDBOX_ARTIFACTS_URL'];

/** What podman makes the container of that holds a pod together. */
const isThere = existsSync('/usr/bin/catatonit');
if (!isThere) {
  if (process.env['REQUIRE_CONTAINERS'] === '1') throw new Error('podman needs the package catatonit to play pods');
  process.stdout.write('\nLEFT OUT: pods of the chart, as podman needs the package catatonit to play them.\n');
}

/** The pods that the chart renders, played by podman, as no cluster is there. */
(isThere ? describeWithContainers : describe.skip)('the pods of the chart, played by podman', () => {
  const engine = containerEngine();
  const containers: Record<string, string> = {};
  let pods: KubePods;
  let service: ContainerService;
  let ports: PublishedPorts;
  let s3: S3Peer;
  let subnet: string;

  const addressOf = (place: (typeof PLACES)[number]): string => `${subnet}.${10 + PLACES.indexOf(place)}`;
  const play = async (role: 'migrate' | (typeof ROLES)[number]): Promise<void> => {
    const hosts = Object.fromEntries([
      ...(['postgres', 'redis'] as const).map((place) => [place, addressOf(place)]),
      ...(['api', 'edge'] as const).map((place) => [`${NAME}-${place}`, addressOf(place)]),
    ]) as Record<string, string>;
    containers[role] = await pods.play(role, { network: 'pods', address: addressOf(role), hosts, ports });
  };

  beforeAll(async () => {
    if (!existsSync(MODULES))
      await command('npm', ['ci', '--prefix', join(PROJECT_ROOT, 'test/helm/tools'), '--no-audit', '--no-fund'], {
        withinMs: 2 * MINUTES,
      });
    await engine.podman(['network', 'create', 'pods']);
    const range = await engine.podman([
      ...['network', 'inspect', 'pods', '--format', '{{range .Subnets}}{{.Subnet}}{{end}}'],
    ]);
    subnet = range.split('.').slice(0, 3).join('.');
    const variables = { POSTGRES_USER: 'service', POSTGRES_DB: 'service', POSTGRES_PASSWORD: PASSWORD };
    await startPostgres(engine, 'pods-postgres', [
      ...['--network', `pods:ip=${addressOf('postgres')}`],
      ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ]);
    await startRedis(engine, 'pods-redis', {
      args: ['--network', `pods:ip=${addressOf('redis')}`],
      command: ['redis-server'],
    });
    // The address of this machine in the network, which is there once a container is.
    s3 = await S3Peer.start(`${subnet}.1`);
    const [http, apps] = await freePorts();
    const [metrics, more] = await freePorts();
    ports = { api: { http }, edge: { apps, http: metrics }, worker: { http: more } };
    service = new ContainerService(engine, http);
    const root = (): string => randomBytes(32).toString('hex');
    const secrets = {
      DATABASE_URL: `postgres://service:${PASSWORD}@postgres:5432/service`,
      REDIS_URL: 'redis://redis:6379',
      ...{ API_KEY_PEPPER: root(), SECRETS_KEY: root(), OPS_TOKEN: root(), METRICS_TOKEN: root() },
      ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
    };
    const values = {
      image: CHART_IMAGE,
      secrets: { existingSecret: SECRET, settings: Object.keys(secrets) },
      settings: {
        PUBLIC_URL: service.url,
        APPS_URL: `http://localhost:${apps}`,
        FEATURE_FLAG_ALLOWLIST: 'sign_ups,anonymous_sandbox,sandbox_executions,deploys',
        ...Object.fromEntries(BUCKETS.map((name) => [name, s3.address()])),
      },
      ...Object.fromEntries(ROLES.map((role) => [role, { replicas: 1 }])),
    };
    const file = join(engine.directory, 'values.yaml');
    writeFileSync(file, stringify(values));
    pods = new KubePods(engine, render('minimal', ['--values', file]));
    await pods.createSecret(SECRET, secrets);
  }, 10 * MINUTES);

  afterAll(async () => {
    await pods.remove();
    for (const place of ['postgres', 'redis'])
      await engine.attempt(['rm', '--force', '--volumes', '--time', '0', `pods-${place}`]);
    await s3.stop();
    await engine.attempt(['secret', 'rm', SECRET]);
    await engine.attempt(['volume', 'rm', '--force', `${NAME}-repositories`]);
    await engine.podman(['network', 'rm', 'pods']);
  }, 2 * MINUTES);

  it(
    'migrate by the pod of the Job, which ends',
    async () => {
      await play('migrate');
      expect(await engine.podman(['wait', containers['migrate']!], { withinMs: 5 * MINUTES })).toBe('0');
      expect(await engine.logs(containers['migrate']!)).toMatch(/^Applied:\n {2}/m);
    },
    10 * MINUTES,
  );

  it(
    'become ready, with sandboxes and buckets',
    async () => {
      for (const role of ROLES) await play(role);
      expect(await service.ready(containers['api']!)).toMatchObject({
        database: { status: 'up' },
        sandbox: { status: 'up', mode: 'rlimits' },
      });
    },
    15 * MINUTES,
  );

  it.each(ROLES)('run %s with the security context of the chart', async (role) => {
    const status = await engine.podman(['exec', containers[role]!, 'cat', '/proc/1/status']);
    const lines = status.split('\n').map((line) => line.replace(/\s+/g, ' '));
    expect(lines).toEqual(
      expect.arrayContaining([
        'Uid: 10001 10001 10001 10001',
        'Gid: 10001 10001 10001 10001',
        'CapEff: 0000000000000000',
        'CapBnd: 0000000000000000',
        'NoNewPrivs: 1',
        // The default filter, or none where sandboxes make namespaces.
        `Seccomp: ${role === 'api' ? 2 : 0}`,
      ]),
    );
    const { stdout } = await engine.attempt([
      ...['exec', containers[role]!, 'sh', '-c'],
      'for place in / /app /etc /usr /var /run /data /data/repositories /tmp; do ' +
        'touch $place/written 2>/dev/null && echo $place; done',
    ]);
    const repositories = role === 'edge' ? [] : ['/data/repositories'];
    expect(stdout.trim().split('\n')).toEqual(['/data', ...repositories, '/tmp']);
  });

  it('answers the first request of the README', () => service.checkFirstRequest(), 5 * MINUTES);

  it(
    'leads from an account to a page that is live',
    async () => {
      await service.checkAccountAndDeploy();
      for (const role of ROLES) expect(await engine.logs(containers[role]!)).not.toContain(PASSWORD);
    },
    10 * MINUTES,
  );
});
