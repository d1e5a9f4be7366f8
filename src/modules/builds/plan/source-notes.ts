import { BuildFailed } from '../build-failed.js';
import { type Source } from '../frameworks/source.js';
import { type Inspection } from './inspection.js';
import { moreAt } from './more-at.js';
import { type Report } from './repository-files.js';

const MANAGERS: Readonly<Record<string, string>> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};
const FUNCTION_PLACES = ['api', 'netlify/functions', 'functions', 'netlify/edge-functions'];
const FUNCTION_FILE = /\.(?:[cm]?[jt]sx?|py|go|rb|php|rs)$/i;
const MOST_NAMES = 3;

/** Names a lock file that was not used, and a package manager that differs from the lock file. */
export function noteLocks({ lock, locks, manifest }: Inspection, report: Report): void {
  if (lock === null) return;
  const manager = MANAGERS[lock.name];
  const others = locks.filter((name) => name !== lock.name && MANAGERS[name] !== manager);
  if (others.length > 0)
    report(
      `Several lock files were found: ${[lock.name, ...others].join(', ')}. ${lock.name} is used. Delete the others, ` +
        `or name your package manager as "packageManager" in package.json.${moreAt('packages')}`,
    );
  const named = /^(npm|pnpm|yarn|bun)@/.exec(manifest?.packageManager ?? '')?.[1];
  if (named !== undefined && manager !== undefined && named !== manager)
    report(
      `package.json names ${named} as its package manager, but the lock file ${lock.name} is of ${manager}. ` +
        `${manager} is used. Commit the lock file of ${named}, or correct "packageManager".${moreAt('packages')}`,
    );
}

/** Names what a build does not fetch, so that nobody looks for it in the output. */
export function noteUnfetched({ unfetched: { submodules, pointers } }: Inspection, report: Report): void {
  if (submodules.length > 0)
    report(
      `Submodules are not fetched, and their directories are empty: ${namesOf(submodules)}. Commit their files ` +
        `instead, or install them as packages.${moreAt('fetching')}`,
    );
  if (pointers.length > 0)
    report(
      `Files of Git LFS are not fetched, and a pointer lies in place of each: ${namesOf(pointers)}. Commit the files ` +
        `themselves (git lfs migrate export), or load them from another address.${moreAt('fetching')}`,
    );
}

/** Names the processes of a Procfile that are not started. */
export function noteProcesses({ procfile }: Inspection, report: Report): void {
  const others = [...(procfile ?? '').matchAll(/^([A-Za-z][\w-]{0,60}):/gm)].map(([, name]) => name!);
  const unused = others.filter((name) => name !== 'web');
  if (unused.length > 0)
    report(
      `Of the Procfile only the process web is started, and not ${namesOf(unused)}. ` +
        'Do their work in the build command, ' +
        `or in the server.${moreAt('servers')}`,
    );
}

const FILE_DATABASES = ['better-sqlite3', 'sqlite3', 'sqlite', 'sql.js', 'nedb', '@seald-io/nedb', 'lowdb'];

/** Says how long the files of a database last. */
export function noteFileDatabases(source: Source, report: Report): void {
  const name = FILE_DATABASES.find((each) => source.uses(each));
  if (name !== undefined)
    report(
      `${name} keeps its data in files. What a server writes is kept while it sleeps, and is gone with the next ` +
        'deploy. Use a database on the network for data that has to last. See /docs/hosting#what-a-server-writes.',
    );
}

/** The files that other hosts run as functions. Here they are source, which is never published. */
const functionFiles = (source: Source): string[] =>
  FUNCTION_PLACES.flatMap((place) =>
    hasPages(source, place) || (place === 'api' && isProject(source, place))
      ? []
      : source.filesBelow(place, FUNCTION_FILE).filter((path) => !FOR_TOOLS.test(path)),
  );

const FOR_TOOLS = /(?:^|\/)\.|\.(?:config|test|spec)\./;

/** True for a directory that is a part of a monorepo. */
const isProject = (source: Source, directory: string): boolean =>
  ['package.json', 'go.mod'].some((name) => source.has(`${directory}/${name}`));

/** True for a directory of pages that happens to have such a name. */
export const hasPages = (source: Source, directory: string): boolean =>
  source.filesBelow(directory, /\.html?$/i).length > 0;

export function noteFunctions(source: Source, report: Report): void {
  const files = functionFiles(source);
  if (files.length > 0)
    report(
      `Functions are not supported: ${namesOf(files)} will not be published, and requests to them get 404. Use a ` +
        `framework with a server, or set a start command.${moreAt('functions')}`,
    );
}

/** @throws {BuildFailed} `framework_not_found` when the source has functions and nothing else. */
export function requireMoreThanFunctions(source: Source): void {
  const files = functionFiles(source);
  if (files.length > 0)
    throw new BuildFailed(
      'framework_not_found',
      `Only functions were found: ${namesOf(files)}. Functions are not supported. Expected is a page, a known ` +
        `framework or a server. Set the start command ` +
        `of the project to one that starts a server.${moreAt('functions')}`,
    );
}

const namesOf = (files: readonly string[]): string =>
  files.slice(0, MOST_NAMES).join(', ') + (files.length > MOST_NAMES ? ` and ${files.length - MOST_NAMES} more` : '');
