import { BuildFailed } from '../build-failed.js';
import { detectPreset } from '../frameworks/catalog.js';
import { Source } from '../frameworks/source.js';
import { type Inspection } from './inspection.js';
import { moreAt } from './more-at.js';
import { requireMoreThanFunctions } from './source-notes.js';

/** Files of languages and tools that builds do not run, with the words for them. */
const OTHERS: readonly (readonly [file: RegExp, name: string])[] = [
  [/^go\.mod$/i, 'a Go module'],
  [/^cargo\.toml$/i, 'a Rust project'],
  [/^gemfile$/i, 'a Ruby project'],
  [/^(?:composer\.json|index\.php)$/i, 'a PHP project'],
  [/^deno\.jsonc?$/i, 'a Deno project'],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?)$/i, 'a Java project'],
  [/^(?:hugo|config)\.toml$/i, 'a Hugo site'],
];
const MOST_NAMES = 8;

/** Refuses a source that no preset knows, and names what was found in it. */
export function unknownFramework(source: Source, inspection: Inspection): never {
  requireMoreThanFunctions(source);
  throw new BuildFailed('framework_not_found', `${messageOf(source, inspection)}${moreAt('framework')}`);
}

function messageOf(source: Source, inspection: Inspection): string {
  const applications = applicationsIn(inspection);
  if (applications.length > 0)
    return (
      `The root directory has no application of its own. Found: ${applications.slice(0, MOST_NAMES).join(', ')}. ` +
      'Set the root directory of the project to one of them.'
    );
  const others = [
    ...new Set(OTHERS.filter(([file]) => source.entries.some((name) => file.test(name))).map(([, name]) => name)),
  ];
  if (others.length > 0)
    return (
      `Found ${others.join(' and ')}, which builds do not run. Expected is a package.json with a known framework, a ` +
      'start script or a build script, or HTML files. Add one of these, or set the root directory of the project.'
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
