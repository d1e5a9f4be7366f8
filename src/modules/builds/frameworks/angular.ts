import { type Preset } from './preset.js';
import { isBelow, type Source } from './source.js';
import { withVariables } from './start-commands.js';

interface BuildOptions {
  readonly outputPath?: unknown;
  readonly ssr?: unknown;
  readonly outputMode?: unknown;
}

interface Application {
  readonly output: string;
  readonly browser: string;
  readonly hasServer: boolean;
}

type Json = Readonly<Record<string, unknown>>;
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** The first application of angular.json, or the default one. */
function applicationOf(source: Source): Application {
  const workspace = source.json('angular.json');
  const projects = objectOf(workspace['projects']);
  const applications = Object.keys(projects).filter((name) => objectOf(projects[name])['projectType'] !== 'library');
  const named = workspace['defaultProject'];
  const name = typeof named === 'string' && applications.includes(named) ? named : (applications[0] ?? 'app');
  const project = objectOf(projects[name]);
  const build = objectOf(objectOf(project['architect'] ?? project['targets'])['build']);
  const options = objectOf(build['options']) as BuildOptions;
  const path = options.outputPath;
  const base = typeof path === 'string' ? path : objectOf(path)['base'];
  const browser = objectOf(path)['browser'];
  const output = plain(base) ?? plain(`dist/${name}`) ?? 'dist';
  return {
    output,
    browser: typeof browser === 'string' ? (plain(`${output}/${browser}`) ?? output) : `${output}/browser`,
    hasServer: options.ssr !== undefined && options.ssr !== false && options.outputMode !== 'static',
  };
}

function plain(path: unknown): string | null {
  if (typeof path !== 'string') return null;
  const bare = path.replace(/^\.\//, '').replace(/\/$/, '');
  return isBelow(bare) ? bare : null;
}

export const angular: Preset = {
  name: 'angular',
  title: 'Angular',
  detect: { packages: ['@angular/core'], files: ['angular.json'] },
  build: 'npx ng build',
  environment: { NG_CLI_ANALYTICS: 'false' },
  caches: ['.angular/cache'],
  modes: [
    {
      kind: 'server',
      condition: 'with `ssr` in angular.json',
      when: (source) => applicationOf(source).hasServer,
      tree: 'repository',
      leaves: (source) => [`${applicationOf(source).output}/server/server.mjs`],
      // It answers only hosts that it knows. Those of this deploy are known to the service, which sends no others.
      start: (source) =>
        withVariables({ NG_ALLOWED_HOSTS: '*' }, 'node', `${applicationOf(source).output}/server/server.mjs`),
      publicFiles: (source) => [{ directory: applicationOf(source).browser, prefix: '/' }],
    },
    {
      kind: 'site',
      outputs: (source: Source): readonly string[] => {
        const { browser, output } = applicationOf(source);
        return [browser, output];
      },
      fallback: 'index.html',
    },
  ],
};
