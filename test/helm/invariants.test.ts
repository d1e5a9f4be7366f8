import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES } from '../../src/platform/config/config.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { TRY_FOR_MS } from '../../src/roles/migrate.js';
import { loadSettings } from '../../src/roles/settings.js';
import { environmentNames } from '../support/environment-names.js';
import { NAMESPACE, render, VALUE_FILES } from './helm.js';
import { Policies } from './network.js';
import { ofKind, selects, workloadsOf, type Workload } from './pods.js';
import { SECRET_SETTINGS } from './settings.js';

/** The process ends within 25 s of the signal (src/platform/lifecycle/shutdown.ts). */
const ENDS_WITHIN_SECONDS = 25;
/** What a migration may take after it has waited for its locks. */
const MIGRATES_WITHIN_MS = 900_000;
const METADATA_SERVER = '169.254.169.254';
const PUBLIC = '93.184.216.34';

const ROOT_KEY = '0123456789abcdef0123456789abcdef';
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});

/** What the Secrets of an operator may have. */
const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://service:secret@db.example.com:5432/service',
  DATABASE_DIRECT_URL: 'postgres://service:secret@db.example.com:5433/service',
  REDIS_URL: 'redis://:secret@redis.example.com:6379/0',
  REDIS_SENTINEL_PASSWORD: 'secret',
  API_KEY_PEPPER: ROOT_KEY,
  SECRETS_KEY: ROOT_KEY,
  OPS_TOKEN: ROOT_KEY,
  METRICS_TOKEN: ROOT_KEY,
  SMTP_URL: 'smtps://service:secret@mail.example.com',
  GITHUB_APP_PRIVATE_KEY: privateKey,
  GITHUB_APP_CLIENT_SECRET: ROOT_KEY,
  GITHUB_WEBHOOK_SECRET: ROOT_KEY,
};

describe.each(VALUE_FILES)('what %s renders', (values) => {
  const objects = render(values);
  const workloads = workloadsOf(objects);
  const lasting = workloads.filter(({ kind }) => kind !== 'Job');
  const named = (kind: string): string[] => ofKind(objects, kind).map(({ metadata }) => metadata.name);

  it('runs each role that has a process of its own, and migrates before', () => {
    const databases = values === 'many-machines' ? ['databases'] : [];
    expect(workloads.map(({ role }) => role).sort()).toEqual(['api', 'edge', 'migrate', 'worker', ...databases].sort());
    for (const { role, container } of workloads) {
      expect(container.args).toEqual([role]);
      expect(ROLES).toContain(role);
    }
    const [migrate] = workloads.filter(({ role }) => role === 'migrate');
    expect(migrate!.object.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  });

  it('lets the migration depend on nothing that is installed after it', () => {
    const [migrate] = workloads.filter(({ role }) => role === 'migrate');
    expect(migrate!.container.envFrom).toBeUndefined();
    expect(migrate!.pod.serviceAccountName).toBeUndefined();
    const ofRelease = [...named('ConfigMap'), ...named('PersistentVolumeClaim')];
    for (const name of ofRelease) expect(JSON.stringify(migrate!.pod)).not.toContain(name);
    // It has the same settings nevertheless.
    const [settings] = ofKind(objects, 'ConfigMap').filter(({ metadata }) => metadata.name.endsWith('-settings'));
    const plain = migrate!.container.env.filter(({ value }: any) => value !== undefined);
    expect(Object.fromEntries(plain.map(({ name, value }: any) => [name, value]))).toMatchObject(settings!.data!);
  });

  it('gives every pod no privilege, and no token of Kubernetes', () => {
    for (const { pod, container } of workloads) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001 });
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        privileged: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
      });
      for (const open of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod[open]).toBeUndefined();
      for (const volume of pod.volumes) expect(volume).not.toHaveProperty('hostPath');
    }
    for (const account of ofKind(objects, 'ServiceAccount'))
      expect(account).toHaveProperty('automountServiceAccountToken', false);
  });

  it('keeps pods that isolate nothing within what Pod Security calls restricted', () => {
    for (const { pod, container } of workloads.filter(({ role }) => role === 'api' || role === 'migrate')) {
      expect(container.securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' });
      expect(container.securityContext).not.toHaveProperty('procMount');
      expect(container.securityContext).not.toHaveProperty('appArmorProfile');
      expect(pod.hostUsers).toBeUndefined();
    }
  });

  it('lets the others make namespaces, in a user namespace of the pod or under a kernel of its own', () => {
    for (const { pod, container } of lasting.filter(({ role }) => role !== 'api')) {
      const { procMount, seccompProfile, appArmorProfile } = container.securityContext;
      const expected =
        values === 'gvisor'
          ? ['gvisor', true, 'Default', 'RuntimeDefault']
          : [undefined, false, 'Unmasked', 'Unconfined'];
      expect([pod.runtimeClassName, pod.hostUsers, procMount, seccompProfile.type]).toEqual(expected);
      expect(appArmorProfile.type).toBe(seccompProfile.type);
    }
  });

  it('bounds every pod', () => {
    for (const { container } of workloads)
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.anything(), memory: expect.anything() },
        limits: { memory: expect.anything(), 'ephemeral-storage': expect.anything() },
      });
  });

  it('probes every process at the paths of the service, and gives it time to end', () => {
    for (const { pod, container } of lasting) {
      expect(container.ports).toContainEqual({ name: 'http', containerPort: 3000 });
      for (const probe of ['startupProbe', 'livenessProbe'])
        expect(container[probe].httpGet).toEqual({ path: '/health', port: 'http' });
      expect(container.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'http' });
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(ENDS_WITHIN_SECONDS);
      expect(container.lifecycle).toBeUndefined();
    }
    const [settings] = ofKind(objects, 'ConfigMap').filter(({ metadata }) => metadata.name.endsWith('-settings'));
    expect(Number(settings!.data!['DRAIN_DELAY_MS'])).toBeGreaterThanOrEqual(5_000);
  });

  it('mounts what a pod has, and all that a process writes to', () => {
    for (const { role, pod, container, object } of workloads) {
      const claims = (object.spec.volumeClaimTemplates ?? []).map(({ metadata }: any) => metadata.name);
      const volumes: string[] = [...pod.volumes.map(({ name }: any) => name), ...claims];
      expect(volumes).toEqual([...new Set(volumes)]);
      const mounts: string[] = container.volumeMounts.map(({ name }: any) => name);
      expect([...mounts].sort()).toEqual([...volumes].sort());
      const paths = container.volumeMounts.map(({ mountPath }: any) => mountPath);
      expect(paths).toEqual(expect.arrayContaining(['/data', '/tmp']));
      expect(paths.includes('/data/repositories')).toBe(role === 'api' || role === 'worker');
    }
    const repositories = lasting.flatMap(({ pod }) => pod.volumes.filter(({ name }: any) => name === 'repositories'));
    expect(repositories).toHaveLength(2);
    expect(repositories[0]).toEqual(repositories[1]);
    const claim = repositories[0].persistentVolumeClaim?.claimName;
    if (claim !== undefined) expect(named('PersistentVolumeClaim')).toContain(claim);
  });

  it('takes every setting from its list, and every secret from a Secret of yours', () => {
    expect(named('Secret')).toEqual([]);
    for (const { metadata, data } of ofKind(objects, 'ConfigMap')) {
      if (!metadata.name.endsWith('-settings')) continue;
      expect(Object.keys(data!).filter((name) => !environmentNames().includes(name))).toEqual([]);
      expect(Object.keys(data!).filter((name) => SECRET_SETTINGS.includes(name))).toEqual([]);
    }
    const notSettings = ['POD_NAME', 'NODE_EXTRA_CA_CERTS'];
    for (const { container } of workloads) {
      const variables = container.env as { name: string; value?: string; valueFrom?: any }[];
      const names = variables.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
      expect(names.filter((name) => !environmentNames().includes(name) && !notSettings.includes(name))).toEqual([]);
      for (const { name, value, valueFrom } of variables.filter((each) => SECRET_SETTINGS.includes(each.name))) {
        expect({ name, value }).toEqual({ name, value: undefined });
        expect(valueFrom.secretKeyRef).toEqual({ name: expect.any(String), key: expect.any(String) });
      }
      for (const name of ['DATABASE_URL', 'REDIS_URL', 'API_KEY_PEPPER', 'SECRETS_KEY', 'OPS_TOKEN', 'METRICS_TOKEN'])
        expect(names).toContain(name);
    }
  });

  it('configures each process so that it starts', () => {
    const [settings] = ofKind(objects, 'ConfigMap').filter(({ metadata }) => metadata.name.endsWith('-settings'));
    for (const { role, container } of workloads) {
      const own = container.env.map(({ name, value }: any) => [name, value ?? SECRETS[name] ?? `${role}-0`]);
      const environment: any = { ...(container.envFrom && settings!.data), ...Object.fromEntries(own), ROLE: role };
      if (environment.REDIS_SENTINEL_PASSWORD !== undefined)
        environment.REDIS_URL = 'redis+sentinel://:secret@redis.example.com:26379/service';
      // The file is in a volume that the operator adds.
      if (environment.REDIS_CA_FILE !== undefined)
        Object.assign(environment, { REDIS_URL: 'rediss://redis.example.com:6379', REDIS_CA_FILE: __filename });
      // The kubelet does the same.
      if (role === 'databases')
        environment.DATABASES_ADDRESS = environment.DATABASES_ADDRESS.replace('$(POD_NAME)', environment.POD_NAME);
      expect(() => loadSettings(environment)).not.toThrow();
    }
  });

  it('has an account for each role, and nothing that selects no pod', () => {
    for (const { role, pod, labels, object } of lasting) {
      expect(named('ServiceAccount')).toContain(pod.serviceAccountName);
      expect(selects(object.spec.selector, labels)).toBe(true);
      expect(lasting.filter((other) => selects(object.spec.selector, other.labels)).map((other) => other.role)).toEqual(
        [role],
      );
    }
    for (const { metadata, spec } of ofKind(objects, 'Service')) {
      const behind = lasting.filter(({ labels }) => selects({ matchLabels: spec.selector }, labels));
      const expected = metadata.name.endsWith('-metrics') ? lasting : behind.slice(0, 1);
      expect([metadata.name, behind]).toEqual([metadata.name, expected]);
      expect(behind).not.toEqual([]);
      for (const { container } of behind)
        for (const { targetPort } of spec.ports)
          expect(container.ports.map(({ name }: any) => name)).toContain(targetPort);
    }
  });

  it('spreads the replicas of a role evenly over zones, and over nodes', () => {
    const whenUnsatisfiable = values === 'many-machines' ? 'DoNotSchedule' : 'ScheduleAnyway';
    for (const { kind, pod, labels } of lasting) {
      const constraints = pod.topologySpreadConstraints as any[];
      expect(constraints.map(({ topologyKey }) => topologyKey)).toEqual([
        'topology.kubernetes.io/zone',
        'kubernetes.io/hostname',
      ]);
      for (const constraint of constraints) {
        expect(constraint).toMatchObject({ maxSkew: 1, whenUnsatisfiable });
        // The pods of a Deployment's release before must not count, or an upgrade could not place its own.
        expect(constraint.matchLabelKeys).toEqual(kind === 'Deployment' ? ['pod-template-hash'] : undefined);
        expect(selects(constraint.labelSelector, labels)).toBe(true);
        expect(lasting.filter((other) => selects(constraint.labelSelector, other.labels))).toHaveLength(1);
      }
    }
  });

  it('gives a migration longer than the hour for which it tries to get its locks', () => {
    const [migrate] = workloads.filter(({ role }) => role === 'migrate');
    // What it does once it has them takes a while as well.
    expect(migrate!.object.spec.activeDeadlineSeconds * 1_000).toBeGreaterThanOrEqual(TRY_FOR_MS + MIGRATES_WITHIN_MS);
  });

  it('has one budget of disruptions for each role', () => {
    const budgets = ofKind(objects, 'PodDisruptionBudget');
    expect(budgets).toHaveLength(lasting.length);
    for (const { labels } of lasting)
      expect(budgets.filter(({ spec }) => selects(spec.selector, labels))).toHaveLength(1);
    for (const { spec } of budgets) expect(spec).not.toHaveProperty('minAvailable');
  });

  it('scales each role by one thing only', () => {
    const scaled = [...ofKind(objects, 'HorizontalPodAutoscaler'), ...ofKind(objects, 'ScaledObject')].map(
      ({ spec }) => spec.scaleTargetRef.name as string,
    );
    expect(scaled).toEqual([...new Set(scaled)]);
    for (const { kind, name, object } of lasting) {
      expect('replicas' in object.spec).toBe(!scaled.includes(name));
      if (kind === 'StatefulSet') expect(scaled).not.toContain(name);
    }
    expect(scaled.filter((name) => !lasting.some((workload) => workload.name === name))).toEqual([]);
    for (const { spec } of ofKind(objects, 'HorizontalPodAutoscaler')) expect(spec.minReplicas).toBeGreaterThan(0);
    // Schedules run in workers, so that there must always be one.
    for (const { spec } of ofKind(objects, 'ScaledObject')) expect(spec.minReplicaCount).toBeGreaterThan(0);
  });

  describe('in the network', () => {
    const policies = new Policies(objects);
    const outsider = { labels: { app: 'outsider' } };
    const byRole = Object.fromEntries(workloads.map((workload) => [workload.role, workload]));

    it('selects every pod for both ways', () => {
      for (const { labels } of workloads) {
        const selecting = ofKind(objects, 'NetworkPolicy').filter(({ spec }) => selects(spec.podSelector, labels));
        const ways = selecting.flatMap(({ spec }) => spec.policyTypes as string[]);
        expect(new Set(ways)).toEqual(new Set(['Ingress', 'Egress']));
      }
    });

    it('lets no other pod in, and nobody at all to workers', () => {
      for (const workload of workloads)
        for (const port of [22, 3000, 3001]) {
          const isPublic = values === 'external' && { api: 3000, edge: 3001 }[workload.role] === port;
          expect([workload.role, port, policies.letsIn(workload, outsider, { port })]).toEqual([
            workload.role,
            port,
            isPublic,
          ]);
        }
    });

    it('lets no pod out to the metadata of the cloud, to nodes or to other pods', () => {
      for (const workload of workloads) {
        for (const address of [METADATA_SERVER, '10.96.0.1', '192.168.0.1', '172.16.0.1', '100.64.0.1', 'fd00::1'])
          for (const port of [22, 80, 443, 5432, 6379, 10_250])
            expect([workload.role, address, port, policies.letsOut(workload, { address }, { port })]).toEqual([
              workload.role,
              address,
              port,
              false,
            ]);
        expect(policies.letsOut(workload, outsider, { port: 80 })).toBe(false);
        expect(policies.letsOut(workload, { address: METADATA_SERVER }, { port: 53, protocol: 'UDP' })).toBe(false);
      }
    });

    it('lets each role out to what it needs', () => {
      const reach = (role: string, port: number): boolean =>
        policies.letsOut(byRole[role]!, { address: PUBLIC }, { port });
      const appsReach = values !== 'gvisor';
      // A worker tries the servers of apps, which have a network there.
      const workersReach = values === 'many-machines';
      // [443, 80, 22 and 25 of the internet]
      expect(
        ['api', 'worker', 'edge', 'migrate'].map((role) => [443, 80, 22, 25].map((port) => reach(role, port))),
      ).toEqual([
        [true, false, false, false],
        [true, true, workersReach, false],
        // Buckets are anywhere in the internet, but where they are named.
        [true, appsReach, appsReach, false],
        [false, false, false, false],
      ]);
      for (const port of [53, 443, 3478])
        expect(
          ['api', 'worker', 'edge'].map((role) =>
            policies.letsOut(byRole[role]!, { address: PUBLIC }, { port, protocol: 'UDP' }),
          ),
        ).toEqual([false, workersReach, appsReach]);
      expect(policies.letsOut(byRole['worker']!, byRole['api']!, { port: 3000 })).toBe(true);
      expect(policies.letsIn(byRole['api']!, byRole['worker']!, { port: 3000 })).toBe(true);
      expect(policies.letsOut(byRole['edge']!, byRole['worker']!, { port: 3000 })).toBe(false);
      expect(policies.letsIn(byRole['worker']!, byRole['api']!, { port: 3000 })).toBe(false);
    });
  });
});

describe('workers without the internet', () => {
  const named = ['objectStorage', 'mail'].map(
    (server, index) => `networkPolicy.${server}.to=[{"ipBlock":{"cidr":"10.20.${index}.0/24"}}]`,
  );
  const rule = { to: [{ ipBlock: { cidr: '10.20.2.0/24' } }], ports: [{ protocol: 'TCP', port: 4873 }] };
  const registry = `networkPolicy.extraEgress.worker=${JSON.stringify([rule])}`;
  const objects = render('minimal', [
    '--set',
    'networkPolicy.worker.internet=none,settings.MAILER=smtp',
    ...[...named, registry].flatMap((value) => ['--set-json', value]),
  ]);
  const policies = new Policies(objects);
  const [worker] = workloadsOf(objects).filter(({ role }) => role === 'worker');

  it('reach PostgreSQL, Redis, buckets, mail, the registry that is named, and nothing else', () => {
    const targets = [PUBLIC, '10.1.0.5', '10.1.0.6', '10.20.0.7', '10.20.1.7', '10.20.2.7', '2606:2800:220:1::1'];
    const ports = [22, 25, 53, 80, 443, 465, 587, 4873, 5432, 6379, 8080];
    const reached = targets.flatMap((address) =>
      ports.filter((port) => policies.letsOut(worker!, { address }, { port })).map((port) => `${address} ${port}`),
    );
    expect(reached).toEqual([
      '10.1.0.5 5432',
      '10.1.0.6 6379',
      '10.20.0.7 443',
      '10.20.1.7 465',
      '10.20.1.7 587',
      '10.20.2.7 4873',
    ]);
    for (const address of targets)
      for (const port of ports) expect(policies.letsOut(worker!, { address }, { port, protocol: 'UDP' })).toBe(false);
  });
});

it('every command that is shown gives Helm longer than the migration has', () => {
  const pages = ['docs/operations/kubernetes.md', 'deploy/helm/service-platform/README.md'];
  const commands = pages
    .flatMap((page) => readFileSync(join(PROJECT_ROOT, page), 'utf8').split('\n'))
    .filter((line) => /^helm (install|upgrade) /.test(line));
  expect(commands).toHaveLength(3);
  const [migrate] = workloadsOf(render('minimal')).filter(({ role }) => role === 'migrate');
  for (const command of commands)
    expect(60 * Number(/ --timeout (\d+)m$/.exec(command)?.[1])).toBeGreaterThan(
      migrate!.object.spec.activeDeadlineSeconds as number,
    );
});

describe('many machines', () => {
  const objects = render('many-machines');
  const byRole = Object.fromEntries(workloadsOf(objects).map((workload) => [workload.role, workload]));
  const policies = new Policies(objects);
  const postgresql = { labels: { 'cnpg.io/cluster': 'service-db' } };
  const redis = { labels: { 'app.kubernetes.io/name': 'redis' } };
  const bucket = { address: '10.20.0.7' };

  it('reach PostgreSQL, Redis and buckets where they are said to be, and nowhere else', () => {
    const reach = (role: string, peer: Parameters<Policies['letsOut']>[1], port: number): boolean =>
      policies.letsOut(byRole[role]!, peer, { port });
    for (const role of ['api', 'edge', 'worker', 'databases']) {
      expect([reach(role, postgresql, 5432), reach(role, redis, 26_379), reach(role, bucket, 443)]).toEqual([
        true,
        true,
        true,
      ]);
      expect([
        reach(role, redis, 5432),
        reach(role, postgresql, 6379),
        reach(role, { address: '10.20.1.7' }, 443),
      ]).toEqual([false, false, false]);
    }
    expect([reach('migrate', postgresql, 5432), reach('migrate', redis, 6379), reach('migrate', bucket, 443)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(reach('databases', { address: PUBLIC }, 443)).toBe(false);
    // Only workers send mail.
    expect(['api', 'worker'].map((role) => reach(role, { address: PUBLIC }, 587))).toEqual([false, true]);
  });

  it('take clients of databases from everywhere, and connect to each other', () => {
    const { databases, api, worker, edge } = byRole as Record<string, Workload>;
    expect(policies.letsIn(databases!, { address: PUBLIC }, { port: 5433 })).toBe(true);
    expect(policies.letsIn(databases!, { address: PUBLIC }, { port: 3000 })).toBe(false);
    for (const other of [api!, worker!, edge!, databases!])
      expect(policies.letsOut(other, databases!, { port: 5433 })).toBe(true);
  });

  it('have a name for each host of databases, in a service that knows pods before they are ready', () => {
    const { object, container } = byRole['databases']!;
    const { value } = container.env.find(({ name }: any) => name === 'DATABASES_ADDRESS');
    expect(value).toBe(`$(POD_NAME).${object.spec.serviceName}.${NAMESPACE}.svc:5433`);
    // The kubelet replaces only what stands before.
    expect(container.env[0]).toEqual({ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } });
    const [hosts] = ofKind(objects, 'Service').filter(({ metadata }) => metadata.name === object.spec.serviceName);
    expect(hosts!.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
  });

  it('keep the data of databases and repositories when the release is removed', () => {
    const { object } = byRole['databases']!;
    expect(object.spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: 'Retain', whenScaled: 'Retain' });
    const [claim] = ofKind(objects, 'PersistentVolumeClaim');
    expect(claim!.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    // PostgreSQL refuses a directory that a volume's group may write to.
    for (const { pod } of workloadsOf(objects)) expect(pod.securityContext.fsGroupChangePolicy).toBe('OnRootMismatch');
  });

  it('give the device of the network of apps to those who run apps', () => {
    for (const [role, { container }] of Object.entries(byRole))
      expect([role, container.resources.limits['squat.ai/tun']]).toEqual([
        role,
        role === 'edge' || role === 'worker' ? 1 : undefined,
      ]);
  });

  it('lead the hosts of apps, storage and customers to edge by a hash of the host, and all else to api', () => {
    const [api, edge] = ofKind(objects, 'Ingress');
    const backends = (object: typeof api): string[] =>
      object!.spec.rules.map(({ host, http }: any) => `${host} ${http.paths[0].backend.service.name}`);
    expect(backends(api)).toEqual(['api.example.com test-service-platform-api']);
    expect(backends(edge)).toEqual([
      '*.apps.example.net test-service-platform-edge',
      'storage.example.org test-service-platform-edge',
      '*.storage.example.org test-service-platform-edge',
      'undefined test-service-platform-edge',
    ]);
    const hashing = 'nginx.ingress.kubernetes.io/upstream-hash-by';
    expect(edge!.metadata.annotations).toMatchObject({
      [hashing]: '$host',
      'cert-manager.io/cluster-issuer': 'letsencrypt',
    });
    expect(api!.metadata.annotations).not.toHaveProperty(hashing);
    expect(edge!.spec.tls).toEqual([
      { hosts: ['*.apps.example.net'], secretName: 'apps-tls' },
      { hosts: ['storage.example.org', '*.storage.example.org'], secretName: 'storage-tls' },
    ]);
    for (const { spec } of [api!, edge!])
      for (const { http } of spec.rules) {
        const { name, port } = http.paths[0].backend.service;
        const [service] = ofKind(objects, 'Service').filter(({ metadata }) => metadata.name === name);
        expect(service!.spec.ports.map((each: any) => each.name)).toContain(port.name);
      }
  });
});
