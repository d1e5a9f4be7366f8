import { PATH_OF_PACKAGES, pythonEnvironment } from '../../hosting/server-commands.js';
import { type Source } from './source.js';

const SERVER_FILES = [
  ...['server', 'index', 'app', 'main'].flatMap((name) => [`${name}.js`, `${name}.mjs`, `${name}.cjs`]),
  ...['server', 'index', 'app', 'main'].flatMap((name) => [`src/${name}.js`, `src/${name}.mjs`]),
  ...['dist/server', 'dist/index', 'dist/main', 'dist/app', 'build/index', 'build/server'].map((name) => `${name}.js`),
  ...['server', 'index', 'app', 'main'].flatMap((name) => [`${name}.ts`, `src/${name}.ts`]),
  'api/index.js',
  'api/index.ts',
];

/**
 * The first script of these that exists and is not a server for development, or else the process `web` of the Procfile,
 * or else the main file.
 */
export function startOf(
  source: Source,
  scripts: readonly string[] = ['start:prod', 'start'],
): readonly string[] | null {
  const script = scripts
    .map((name) => source.script(name))
    .find((each) => each !== undefined && !source.runsDevServer(each));
  if (script !== undefined) return commandOf(withoutMissingFile(withoutBuild(script, source), source));
  if (source.webProcess !== null) return commandOf(source.webProcess);
  const file = serverFileOf(source);
  // A script that only serves for development beside a build: what the build leaves is to be started, not its source.
  const isBuilt = scripts.some((name) => source.script(name) !== undefined) && source.script('build') !== undefined;
  return file === null || (isBuilt && /\.[cm]?ts$/.test(file)) ? null : ['node', file];
}

/** The file that `node` runs when no script says how to start. */
export function serverFileOf(source: Source): string | null {
  const { main } = source;
  const named = main !== null && /\.[cm]?[jt]s$/.test(main) && source.has(main.replace(/^\.\//, '')) ? main : null;
  return named ?? SERVER_FILES.find((file) => source.has(file)) ?? null;
}

const BUILDS_FIRST = /^(?:npm run|yarn run|yarn|pnpm run|pnpm|bun run) build\s{0,8}&&\s{0,8}(?=\S)/;

/** The build has run before, and the files that it left cannot be written again. */
const withoutBuild = (script: string, source: Source): string =>
  source.script('build') === undefined ? script : script.replace(BUILDS_FIRST, '');

const ENV_FILE = /(^|\s)--env-file(=| )([\w./-]{1,200})/g;

/**
 * Files such as `.env` are not committed, and Node refuses to start without one that it has to read. The variables of
 * the project take its place.
 */
const withoutMissingFile = (script: string, source: Source): string =>
  script
    .slice(0, 2_000)
    .replace(ENV_FILE, (option: string, before: string, sign: string, file: string) =>
      source.has(file.replace(/^\.\//, '')) ? option : `${before}--env-file-if-exists${sign}${file}`,
    ) + script.slice(2_000);

/** `node server.js` runs without a shell. Other commands need one, with the programs of the packages in its path. */
export function commandOf(script: string): readonly string[] {
  if (/^node( [\w./=@-]+)+$/.test(script)) return script.split(' ');
  return ['sh', '-c', `${PATH_OF_PACKAGES}${script}`];
}

/** Where `inside/install_packages.py` installs packages, relative to the root directory of the project. */
const PYTHON_PACKAGES = '.python_packages';

/** A command that finds the packages of a Python project and their programs. `paths` are further places of modules. */
export const pythonCommand = (command: string, paths = ''): readonly string[] => [
  'sh',
  '-c',
  `${pythonEnvironment(PYTHON_PACKAGES, paths)}${command}`,
];

/** A command with variables that a framework's server reads. */
export const withVariables = (variables: Readonly<Record<string, string>>, ...command: string[]): readonly string[] => [
  'env',
  ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
  ...command,
];
