import { posix } from 'node:path';

import { BuildFailed } from '../build-failed.js';
import { detectPreset } from '../frameworks/catalog.js';
import { otherLanguagesOf } from '../frameworks/other-languages.js';
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
  if (!inspection.hasWorkspaces || source.has('index.html')) return false;
  const runsOthers =
    preset.name === 'static'
      ? source.script('build') !== undefined
      : preset.name === 'node' && /\b(?:turbo|nx|lerna)\s/.test((source.script('start') ?? '').slice(0, 2_000));
  return runsOthers && applicationsIn(inspection).length > 0;
}

function messageOf(source: Source, inspection: Inspection): string {
  const applications = applicationsIn(inspection);
  if (applications.length > 0)
    return (
      `The root directory has no application of its own. Found: ${applications.slice(0, MOST_NAMES).join(', ')}. ` +
      'Set the root directory of the project to one of them.'
    );
  const others = otherLanguagesOf(source);
  if (others.length > 0)
    return (
      `Found ${others.join(' and ')}, which builds do not run. Expected is a package.json with a known framework, a ` +
      'start script or a build script, a Dockerfile, or HTML files. Add one of these, or set the root directory ' +
      'of the project. ' +
      'To publish files as they lie, set the framework to static.'
    );
  const pages = pageDirectoriesOf(source);
  if (pages.length > 0)
    return (
      `The root directory has no known framework and no HTML file. Pages were found in: ${pages.join(', ')}. ` +
      `Set the root directory of the project to ${pages.length === 1 ? 'it' : 'one of them'}.`
    );
  const names = source.entries.filter((name) => !name.startsWith('.')).slice(0, MOST_NAMES);
  return (
    'No known framework and no HTML file was found. ' +
    (names.length === 0 ? 'The directory is empty. ' : `Found: ${names.join(', ')}. `) +
    (source.hasManifest
      ? 'package.json has no known framework and neither a start nor a build script. '
      : 'Expected is a package.json or an index.html. ') +
    'Set the framework or the root directory of the project.'
  );
}

/** Directories with pages, those with a front page first. */
function pageDirectoriesOf(source: Source): string[] {
  const pages = source.filesBelow('', /[^/]\.html?$/i).filter((path) => !/(?:^|\/)\./.test(path));
  const fronts = pages.filter((path) => /\/index\.html?$/i.test(path));
  return [...new Set((fronts.length > 0 ? fronts : pages).map((path) => posix.dirname(path)))].slice(0, MOST_NAMES);
}

/** The directories of a monorepo that a preset of their own knows, such as `apps/web (nextjs)`. */
function applicationsIn(inspection: Inspection): string[] {
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
