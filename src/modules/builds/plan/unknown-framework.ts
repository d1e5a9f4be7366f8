import { posix } from 'node:path';

import { BuildFailed } from '../build-failed.js';
import { detectPreset } from '../frameworks/catalog.js';
import { otherHostOf, refusalOf } from '../frameworks/other-hosts.js';
import { otherFilesOf, otherLanguagesOf } from '../frameworks/other-languages.js';
import { type Preset } from '../frameworks/preset.js';
import { Source } from '../frameworks/source.js';
import { type Inspection } from './inspection.js';
import { moreAt } from './more-at.js';
import { requireMoreThanFunctions } from './source-notes.js';

const MOST_NAMES = 8;

/** Refuses a source that no preset knows, and names what was found in it. */
export function unknownFramework(source: Source, inspection: Inspection): never {
  requireMoreThanFunctions(source);
  throw new BuildFailed('framework_not_found', `${messageOf(source, inspection)}${moreAt('framework')}`);
}

/**
 * True for the root of a monorepo whose `build` or `start` script runs those of its applications. What they leave has
 * no one place.
 */
export function isMonorepoRoot(preset: Preset, source: Source, inspection: Inspection): boolean {
  if (source.has('index.html')) return false;
  if (isNxRoot(source)) return [...applicationsIn(inspection), ...nxApplicationsIn(inspection)].length > 0;
  if (preset.name === 'node' && startsSeveral(source)) return applicationsIn(inspection).length > 0;
  if (!inspection.hasWorkspaces) return false;
  const runsOthers =
    preset.name === 'static'
      ? source.script('build') !== undefined
      : preset.name === 'node' && /\b(?:turbo|nx|lerna)\s/.test((source.script('start') ?? '').slice(0, 2_000));
  return runsOthers && applicationsIn(inspection).length > 0;
}

/** The root of a workspace of Nx has the packages of all its applications, and none of their files. */
const isNxRoot = (source: Source): boolean =>
  source.has('nx.json') && !['src', 'app', 'pages', 'public'].some((name) => source.has(name));

/** The directories of applications that have no `package.json` of their own. */
const nxApplicationsIn = ({ paths }: Inspection): string[] =>
  paths
    .flatMap((path) => /^((?:apps|packages)\/[\w.-]{1,60})\/project\.json$/.exec(path)?.[1] ?? [])
    .filter((directory) => !paths.includes(`${directory}/package.json`) && !directory.endsWith('-e2e'))
    .slice(0, MOST_NAMES);

/** The scripts of a client and a server beside each other start at once. There is one port for both. */
const startsSeveral = (source: Source): boolean =>
  /\b(?:concurrently|npm-run-all|run-p)\b.{1,500}(?:--prefix|--cwd|-C|\bcd)\s/.test(
    (source.script('start') ?? '').slice(0, 2_000),
  );

function messageOf(source: Source, inspection: Inspection): string {
  const applications = applicationsIn(inspection);
  if (applications.length > 0)
    return (
      `The root directory has no application of its own. Found: ${applications.slice(0, MOST_NAMES).join(', ')}. ` +
      'Set the root directory of the project to one of them.'
    );
  const others = otherLanguagesOf(source);
  if (others.length > 0) return notRun(others);
  const host = otherHostOf(source);
  if (host !== null) return refusalOf(host);
  const unnamed = nxApplicationsIn(inspection);
  if (unnamed.length > 0)
    return (
      `The root directory has no application of its own. Found a workspace of Nx with ${unnamed.join(', ')}. Set the ` +
      `build command of the project to one that builds an application, such as npx nx build ` +
      `${posix.basename(unnamed[0]!)}, and the output directory or the start command.`
    );
  const pages = pageDirectoriesOf(source);
  if (pages.length > 0)
    return (
      `The root directory has no known framework and no HTML file. Pages were found in: ${pages.join(', ')}. ` +
      `Set the root directory of the project to ${pages.length === 1 ? 'it' : 'one of them'}.`
    );
  const files = source.hasManifest ? [] : otherFilesOf(source);
  if (files.length > 0) return notRun(files);
  const start = source.script('start');
  const names = source.entries.filter((name) => !name.startsWith('.')).slice(0, MOST_NAMES);
  return (
    'No known framework and no HTML file was found. ' +
    (names.length === 0 ? 'The directory is empty. ' : `Found: ${names.join(', ')}. `) +
    (source.hasManifest
      ? start !== undefined && source.runsDevServer(start)
        ? `The start script of package.json, "${start.slice(0, 200)}", is for development, and there is no build ` +
          'script. Expected is a known framework, a build script that leaves pages, or a start script that runs a ' +
          'server. '
        : 'package.json has no known framework and neither a start nor a build script. '
      : 'Expected is a package.json or an index.html. ') +
    'Set the framework or the root directory of the project.'
  );
}

const notRun = (titles: readonly string[]): string =>
  `Found ${titles.join(' and ')}, which builds do not run. Expected is a package.json with a known framework, a ` +
  'start script or a build script, a Dockerfile, or HTML files. Add one of these, or set the root directory ' +
  'of the project. ' +
  'To publish files as they lie, set the framework to static.';

/** Directories with pages, those with a front page first. */
function pageDirectoriesOf(source: Source): string[] {
  const pages = source.filesBelow('', /[^/]\.html?$/i).filter((path) => !/(?:^|\/)\./.test(path));
  const fronts = pages.filter((path) => /\/index\.html?$/i.test(path));
  return [...new Set((fronts.length > 0 ? fronts : pages).map((path) => posix.dirname(path)))].slice(0, MOST_NAMES);
}

/** The directories of a monorepo that a preset of their own knows, such as `apps/web (nextjs)`. */
function applicationsIn(inspection: Inspection): string[] {
  return [...nodeApplicationsIn(inspection), ...pythonProjectsIn(inspection)];
}

const PYTHON_PROJECT = /^([\w.-]{1,60}(?:\/[\w.-]{1,60})?)\/(?:requirements\.txt|pyproject\.toml|manage\.py)$/;

const pythonProjectsIn = ({ paths }: Inspection): string[] => [
  ...new Set(
    paths.flatMap((path) => {
      const directory = PYTHON_PROJECT.exec(path)?.[1];
      return directory === undefined ? [] : [`${directory} (python)`];
    }),
  ),
];

function nodeApplicationsIn(inspection: Inspection): string[] {
  return inspection.packages.flatMap(({ directory, dependencies }) => {
    const inside = inspection.paths.flatMap((path) =>
      path.startsWith(`${directory}/`) ? [path.slice(directory.length + 1)] : [],
    );
    const preset = detectPreset(
      new Source({
        ...inspection,
        entries: inside.filter((path) => !path.includes('/')),
        paths: inside,
        configs: {},
        python: null,
        manifest: {
          scripts: {},
          dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])),
          node: null,
          packageManager: null,
          main: null,
        },
      }),
    );
    return preset === null || ['node', 'static'].includes(preset.name) ? [] : [`${directory} (${preset.name})`];
  });
}
