import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { ROLES } from '../../src/platform/config/config.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { environmentNames } from '../support/environment-names.js';

const DEPLOY = join(PROJECT_ROOT, 'deploy');
const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const yaml = (path: string): any => parse(read(path), { merge: true });

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: string[];
  readonly environment?: Record<string, string>;
  readonly depends_on?: Record<string, { condition: string }>;
  readonly volumes?: string[];
  readonly ports?: string[];
  readonly networks: string[];
  readonly secrets?: string[];
  readonly read_only?: boolean;
  readonly tmpfs?: string[];
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly pids_limit?: number;
}

describe('deploy/compose.yml', () => {
  const compose = yaml('deploy/compose.yml') as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
    networks: Record<string, unknown>;
    secrets: Record<string, { environment: string }>;
  };
  const services = Object.entries(compose.services);
  const ours = services.filter(([, { image }]) => image === 'service-platform');

  it('runs the roles with settings that exist', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'edge', 'worker', 'databases']);
    for (const [name, { command, environment, build }] of ours) {
      expect(command).toEqual([name]);
      expect(ROLES).toContain(name);
      expect(Object.keys(environment!).filter((setting) => !environmentNames().includes(setting))).toEqual([]);
      expect(existsSync(join(DEPLOY, build!.context, build!.dockerfile))).toBe(true);
    }
    expect(
      ours.filter(([name]) => name !== 'migrate').map(([, { depends_on: after }]) => after?.['migrate']?.condition),
    ).toEqual(Array(4).fill('service_completed_successfully'));
  });

  it('gives each role no capability, no writable root, and no more than isolation needs', () => {
    for (const [name, service] of ours) {
      const { read_only: readOnly, tmpfs, cap_drop: dropped, security_opt: security, pids_limit: tasks } = service;
      expect({ name, readOnly, tmpfs, dropped, tasks }).toMatchObject({
        name,
        tasks: 4_096,
        readOnly: true,
        tmpfs: [expect.stringMatching(/^\/tmp:/)],
        dropped: ['ALL'],
      });
      const lifted = ['edge', 'worker', 'databases'].includes(name)
        ? ['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined']
        : [];
      expect({ name, security }).toEqual({ name, security: ['no-new-privileges', ...lifted] });
    }
  });

  it('tells the other containers where project databases are', () => {
    expect(compose.services['databases']!.environment!['DATABASES_ADDRESS']).toBe('databases:5433');
  });

  it('publishes to the network only what speaks TLS', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    expect(published.filter((port) => !/ (?:127\.0\.0\.1|\$\{PUBLISH_ON:-127\.0\.0\.1\}):/.test(port))).toEqual([
      'databases ${DATABASES_PORT:-5433}:5433',
      'caddy 80:80',
      'caddy 443:443',
    ]);
  });

  it('keeps jobs across a restart of Redis, and never evicts them', () => {
    expect(compose.services['redis']!.command).toEqual([
      'redis-server',
      '--appendonly',
      'yes',
      '--maxmemory-policy',
      'noeviction',
    ]);
  });

  it('refers only to services, networks, volumes, secrets and files that exist', () => {
    for (const [name, { depends_on: after = {}, networks, volumes = [], secrets = [] }] of services) {
      expect({ name, unknown: Object.keys(after).filter((other) => !(other in compose.services)) }).toEqual({
        name,
        unknown: [],
      });
      expect({ name, unknown: networks.filter((network) => !(network in compose.networks)) }).toEqual({
        name,
        unknown: [],
      });
      expect({ name, unknown: secrets.filter((secret) => !(secret in compose.secrets)) }).toEqual({
        name,
        unknown: [],
      });
      const sources = volumes.map((volume) => volume.split(':')[0]!);
      expect({
        name,
        missing: sources.filter((source) =>
          source.startsWith('.') ? !existsSync(join(DEPLOY, source)) : !(source in compose.volumes),
        ),
      }).toEqual({ name, missing: [] });
    }
  });

  it('reads every secret from deploy/.env, which has an example', () => {
    const text = read('deploy/compose.yml');
    const wanted = [...text.matchAll(/\$\{([A-Z_]+)(:[-?])/g)];
    const example = read('deploy/.env.example');
    expect(
      wanted.filter(([, name]) => !new RegExp(`^(# )?${name!}=`, 'm').test(example)).map(([, name]) => name),
    ).toEqual([]);
    const required = new Set(wanted.filter(([, , kind]) => kind === ':?').map(([, name]) => name));
    expect([...required].sort()).toEqual([...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name!).sort());
  });

  it('mounts the tokens of Prometheus and Alertmanager, and connects them', () => {
    const prometheus = yaml('deploy/compose/prometheus.yml');
    const [scrape] = prometheus.scrape_configs;
    expect(scrape.job_name).toBe(yaml('deploy/alerts/prometheus.yml').scrape_configs[0].job_name);
    expect(scrape.authorization.credentials_file).toBe(`/run/secrets/${compose.services['prometheus']!.secrets![0]!}`);
    expect(scrape.dns_sd_configs[0].names.every((name: string) => name in compose.services)).toBe(true);
    expect(prometheus.alerting.alertmanagers[0].static_configs[0].targets).toEqual(['alertmanager:9093']);
    const { http_config: http, url } = yaml('deploy/compose/alertmanager.yml').receivers[0].webhook_configs[0];
    expect([url, http.authorization.credentials_file]).toEqual([
      'http://api:3000/ops/alert',
      `/run/secrets/${compose.services['alertmanager']!.secrets![0]!}`,
    ]);
  });
});

describe('deploy/haproxy/haproxy.cfg', () => {
  const [, ...frontends] = read('deploy/haproxy/haproxy.cfg').split(/^frontend /m);

  it('logs no query and no secret of a path', () => {
    const [format] = /^ *log-format .*$/m.exec(read('deploy/haproxy/haproxy.cfg'))!;
    // The parts of a line with a query (`log-format` of HAProxy's manual), and what the format stands in place of.
    expect(format).not.toMatch(/%(?:\{[^}]*\})?(?:r|HU|HQ)(?![A-Za-z])/);
    expect(read('deploy/haproxy/haproxy.cfg')).not.toMatch(/^ *option httplog/m);
    for (const frontend of frontends) expect(frontend).toMatch(/^ *http-request set-var\(txn\.path\) 'path,regsub/m);
  });

  it('never passes on what a caller says of its own scheme', () => {
    expect(frontends).toHaveLength(2);
    for (const frontend of frontends)
      expect(frontend).toMatch(/^ *http-request set-header x-forwarded-proto %\[ssl_fc,iif\(https,http\)\]$/m);
  });
});

describe('deploy/Dockerfile', () => {
  const lines = read('deploy/Dockerfile').replace(/\\\n/g, ' ').split('\n');

  it('copies only files of the repository or of the build', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY '))
      .flatMap((line) => line.split(/\s+/).slice(1, -1))
      .filter((path) => !path.startsWith('--'));
    const made = ['dist', 'node_modules'];
    expect(
      copied
        .map((path) => path.replace(/^\/app\//, ''))
        .filter((path) => !made.includes(path) && !existsSync(join(PROJECT_ROOT, path))),
    ).toEqual([]);
  });

  it('contains every file that the service reads beside its code', () => {
    const inImage = lines
      .filter((line) => line.startsWith('COPY --from=build'))
      .map((line) => line.split(/\s+/)[2]!.replace('/app/', ''));
    // What the sources find by `PROJECT_ROOT`.
    for (const needed of ['package.json', 'docs/operations/runbooks', 'templates/nextjs', 'deploy/prices.yml']) {
      expect(existsSync(join(PROJECT_ROOT, needed))).toBe(true);
      expect(inImage.some((path) => path === needed || path === dirname(needed) || needed.startsWith(`${path}/`))).toBe(
        true,
      );
    }
  });

  it('runs as a user by number, who is not root', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001:10001']);
  });

  it('passes signals to the service under an init that reaps sandbox processes', () => {
    expect(lines).toContain('ENTRYPOINT ["tini", "--", "node", "dist/src/main.js"]');
  });
});
