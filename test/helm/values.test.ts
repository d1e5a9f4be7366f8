import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { environmentNames } from '../support/environment-names.js';
import { CHART, helm, render, template } from './helm.js';
import { SECRET_SETTINGS, SETTINGS_OF_THE_CHART } from './settings.js';

const SCHEMA = join(CHART, 'values.schema.json');
const read = (path: string): string => readFileSync(path, 'utf8');
const values = parse(read(join(CHART, 'values.yaml')));

describe('the values of the chart', () => {
  it('refuse an installation without any, and name the first that it needs', () => {
    const { status, stderr } = helm(['template', 'test', CHART, '--kube-version', '1.33.0']);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/PUBLIC_URL/)]);
  });

  it('refuse a cluster without user namespaces of pods', () => {
    const { status, stderr } = template('minimal', ['--kube-version', '1.32.9']);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/kubeVersion: >=1\.33/)]);
  });

  it.each([
    ['a value that does not exist', 'imagee.tag=1', /imagee/],
    ['one below another', 'api.autoscaling.kindd=hpa', /kindd/],
    ['a setting that does not exist', 'settings.PUBLIC_URI=https://api.example.com', /PUBLIC_URI/],
    ['a setting of the chart', 'settings.PORT=8080', /PORT/],
    ['a setting that is no text', 'settings.MAX_CONNECTIONS=5', /MAX_CONNECTIONS/],
    ['a secret among the settings', 'settings.API_KEY_PEPPER=0123456789abcdef0123456789abcdef', /API_KEY_PEPPER/],
    ['a secret among those of a role', 'worker.settings.SMTP_URL=smtp://mail.example.com', /SMTP_URL/],
    [
      'an address with a password',
      'settings.MODEL_ROUTER_URL=https://user:password@models.example.com',
      /MODEL_ROUTER_URL/,
    ],
    ['a secret that is none', 'secrets.settings[0]=PUBLIC_URL', /secrets.settings.0|secrets\/settings\/0/],
    ['a secret from no Secret', 'secrets.existingSecret=', /existingSecret must name the Secret/],
    ['an installation without its root keys', 'secrets.settings={DATABASE_URL}', /REDIS_URL must be in secrets/],
    ['files of deploys in a pod', 'settings.ARTIFACTS_URL=file:', /ARTIFACTS_URL/],
    ['an archive of the audit log in a pod', 'settings.AUDIT_ARCHIVE_URL=file:', /AUDIT_ARCHIVE_URL/],
    ['an archive of usage in a pod', 'settings.USAGE_ARCHIVE_URL=file:', /USAGE_ARCHIVE_URL/],
    ['databases without a place for backups', 'databases.enabled=true', /DATABASE_BACKUPS_URL/],
    ['a role without a process', 'worker.replicas=0', /replicas/],
    ['queues for api', 'api.autoscaling.kind=keda', /kind/],
    ['KEDA without Prometheus', 'worker.autoscaling.kind=keda', /serverAddress/],
    ['workers that can go to none', 'worker.autoscaling.minReplicas=0', /minReplicas/],
    [
      'less time to end than the service takes',
      'edge.terminationGracePeriodSeconds=10',
      /terminationGracePeriodSeconds/,
    ],
    ['a pod without a limit', 'api.resources.limits=null', /limits/],
    ['a claim without a name', 'repositories.kind=existingClaim', /existingClaim/],
    ['an unmasked /proc with the users of the host', 'isolation.hostUsers=true', /hostUsers/],
    ['a peer that is everyone', 'networkPolicy.monitoring.from[0]=null', /monitoring/],
    ['workers that reach something else', 'networkPolicy.worker.internet=all', /internet/],
    ['workers without the internet, but with buckets in it', 'networkPolicy.worker.internet=none', /objectStorage/],
    ['a digest that is a tag', 'image.digest=latest', /digest/],
    ['no disruption at all', 'podDisruptionBudget.maxUnavailable=0', /maxUnavailable/],
  ])('refuse %s', (_, parameter, said) => {
    const { status, stdout, stderr } = template('minimal', ['--set', parameter]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(said);
  });

  it('refuse policies that know no PostgreSQL or no Redis, which no policies need not know', () => {
    for (const server of ['postgresql', 'redis']) {
      const unknown = ['--set-json', `networkPolicy.${server}.to=[]`];
      expect(template('minimal', unknown).stderr).toMatch(new RegExp(`networkPolicy/${server}/to`));
      const objects = render('minimal', [...unknown, '--set', 'networkPolicy.enabled=false']);
      expect(objects.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
    }
  });

  it('refuse mail in the internet for workers that have none', () => {
    const parameters = [
      '--set',
      'networkPolicy.worker.internet=none,settings.MAILER=smtp',
      '--set-json',
      'networkPolicy.objectStorage.to=[{"ipBlock":{"cidr":"10.20.0.0/24"}}]',
    ];
    expect(template('minimal', parameters).stderr).toMatch(/networkPolicy[./]mail/);
    const mail = 'networkPolicy.mail.to=[{"ipBlock":{"cidr":"10.20.1.0/24"}}]';
    expect(template('minimal', [...parameters, '--set-json', mail]).status).toBe(0);
  });

  it('may come from a chart around this one', () => {
    expect(template('minimal', ['--set', 'global.anything=1']).status).toBe(0);
  });

  it('let a setting of a role win over that of all, and both over the default of the chart', () => {
    const parameters = [
      '--set-string',
      'settings.DRAIN_DELAY_MS=8000,edge.settings.DRAIN_DELAY_MS=9000,settings.TRUST_PROXY=2',
    ];
    const objects = render('minimal', parameters);
    const settings = objects.find(({ kind }) => kind === 'ConfigMap')!.data!;
    expect([settings['DRAIN_DELAY_MS'], settings['TRUST_PROXY'], settings['REDIS_TIMEOUT_MS']]).toEqual([
      '8000',
      '2',
      '100',
    ]);
    const [edge] = objects.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-edge'));
    expect(edge!.spec.template.spec.containers[0].env).toContainEqual({ name: 'DRAIN_DELAY_MS', value: '9000' });
  });

  it('replace pods when a setting changes', () => {
    const checksums = (parameters: string[]): unknown[] =>
      render('minimal', parameters)
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ spec }) => spec.template.metadata.annotations['checksum/settings']);
    const [before] = new Set(checksums([]));
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(checksums([])).toEqual([before, before, before]);
    expect(checksums(['--set-string', 'settings.LOG_LEVEL=debug'])).not.toContain(before);
  });

  it('name an image by its digest, else by its tag, else by the version', () => {
    const imageOf = (file: string, parameters: string[] = []): string =>
      render(file, parameters).find(({ kind }) => kind === 'Deployment')!.spec.template.spec.containers[0]
        .image as string;
    const { version } = JSON.parse(read(join(PROJECT_ROOT, 'package.json'))) as { version: string };
    expect(imageOf('minimal')).toBe(`service-platform:${version}`);
    expect(imageOf('minimal', ['--set', 'image.tag=edge'])).toBe('service-platform:edge');
    expect(imageOf('external', ['--set', 'image.tag=edge'])).toMatch(
      /^registry\.example\.com\/service-platform@sha256:[0-9a-f]{64}$/,
    );
  });
});

describe('the schema of the values', () => {
  interface Schema {
    definitions: { roleSettings: { properties: Record<string, unknown> }; secretName: { enum: string[] } };
  }

  it('knows every setting once: as value, secret or one of the chart; UPDATE_CONFIGURATION=1 writes it', () => {
    const plain = environmentNames().filter((name) => ![...SECRET_SETTINGS, ...SETTINGS_OF_THE_CHART].includes(name));
    const schema = JSON.parse(read(SCHEMA)) as Schema;
    const wanted = structuredClone(schema);
    wanted.definitions.roleSettings.properties = Object.fromEntries(
      plain.map((name) => [name, { $ref: '#/definitions/text' }]),
    );
    wanted.definitions.secretName.enum = [...SECRET_SETTINGS];
    if (process.env['UPDATE_CONFIGURATION'] === '1') writeFileSync(SCHEMA, `${JSON.stringify(wanted, null, 2)}\n`);
    expect(JSON.parse(read(SCHEMA))).toEqual(wanted);
  });

  it('knows only settings that exist, and as a secret all that are one', () => {
    const known = [...SECRET_SETTINGS, ...SETTINGS_OF_THE_CHART];
    expect(known.filter((name) => !environmentNames().includes(name))).toEqual([]);
    const words = /SECRET|PASSWORD|PASSPHRASE|PEPPER|TOKEN|_KEY$|ACCESS_KEY_ID|_HEADERS$/;
    const servers = /^(DATABASE|DATABASE_DIRECT|REDIS|SMTP|TENANT_DATABASES)_URL$/;
    const looksSecret = environmentNames().filter((name) => words.test(name) || servers.test(name));
    // Where public keys are.
    const harmless = ['SECRET_SCANNING_KEYS_URL'];
    expect(looksSecret.filter((name) => !SECRET_SETTINGS.includes(name) && !harmless.includes(name))).toEqual([]);
  });
});

describe('the README of the chart', () => {
  const rows = [...read(join(CHART, 'README.md')).matchAll(/^\| `([\w<>.]+)` \| (?:`(.*?)`)? ?\| /gm)];
  const valueAt = (path: string): unknown =>
    path
      .replace('<role>', 'api')
      .split('.')
      .reduce((value: any, key) => value?.[key], values);

  it('tells the default of each value', () => {
    for (const [, path, given] of rows) {
      expect([path, valueAt(path!)]).toEqual([path, expect.anything()]);
      if (given !== undefined) expect([path, valueAt(path!)]).toEqual([path, parse(given)]);
    }
  });

  it('tells every value', () => {
    const paths = rows.map(([, path]) => path!);
    const isThere = (path: string): boolean =>
      paths.some(
        (each) => path === each || path.startsWith(`${each}.`) || path === each.replace('<role>', path.split('.')[0]!),
      );
    const wanted = Object.entries(values as Record<string, unknown>).flatMap(([name, value]) => {
      const isMap =
        typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
      return isMap ? Object.keys(value).map((key) => `${name}.${key}`) : [name];
    });
    const nested = wanted.filter(
      (path) => !/^(api|edge|worker|databases)\.(autoscaling|service|serviceAccount|storage)$/.test(path),
    );
    expect(nested.filter((path) => !isThere(path))).toEqual([]);
  });
});

it('the chart has the version of the service', () => {
  const { version } = JSON.parse(read(join(PROJECT_ROOT, 'package.json'))) as { version: string };
  const chart = parse(read(join(CHART, 'Chart.yaml')));
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
});

it('tells after an installation what is missing', () => {
  const notes = (file: string): string => {
    const path = join(CHART, 'ci', `${file}.yaml`);
    return helm(['install', 'test', CHART, '-f', path, '--dry-run=client']).stdout;
  };
  expect(notes('minimal')).toMatch(/no mail is sent[\s\S]*Apps have no network[\s\S]*Project databases are off/);
  expect(notes('external')).toMatch(/by a hash of the host[\s\S]*repositories of the service are lost/);
  expect(notes('many-machines')).not.toMatch(/WARNING|no network|are off/);
});
