import { parse as parseToml } from 'smol-toml';

import type { CronEntry } from '../../hosting/built-output.js';
import { presetNamed } from '../frameworks/catalog.js';
import { IMAGE_FRAMEWORK } from '../images/image-framework.js';
import { isBelow } from '../frameworks/source.js';
import { type Inspection } from './inspection.js';
import { moreAt } from './more-at.js';
import { type FileSettings } from './used-settings.js';

export type Report = (text: string) => void;
export type Json = Readonly<Record<string, unknown>>;

/** What vercel.json and netlify.toml say about a build. */
export interface RepositoryFiles {
  readonly settings: FileSettings;
  /** A range of versions of Node. */
  readonly node: string | null;
  readonly crons: readonly CronEntry[];
}

const LONGEST_COMMAND = 2_000;
const MOST_CRONS = 100;
const LARGEST_TOML = 65_536;

/** Parts of vercel.json that need no note: they are used, or mean nothing for a deploy. */
const KNOWN_OF_VERCEL = new Set([
  ...['$schema', 'version', 'name', 'alias', 'scope', 'public', 'devCommand', 'git', 'github', 'outputDirectory'],
  ...['buildCommand', 'installCommand', 'framework', 'redirects', 'rewrites', 'headers', 'cleanUrls', 'trailingSlash'],
  // The part `routes` has a note of its own among the routing rules.
  ...['crons', 'routes'],
]);
const ADVICE_OF_VERCEL: Readonly<Record<string, string>> = {
  functions: 'There are no functions. Use a server with a start command for API routes.',
  builds: 'Set the framework, the build command and the output directory of the project instead.',
  images: 'Images are served as they are.',
  regions: 'There is one region.',
  env: 'Set the variables of the project instead.',
  build: 'Set the variables of the project instead.',
  ignoreCommand: 'Every push is deployed.',
  wildcard: 'Add the domains to the project instead.',
};
const ADVICE_OF_NETLIFY: Readonly<Record<string, string>> = {
  functions: 'There are no functions. Use a server with a start command for API routes.',
  edge_functions: 'There are no edge functions. Use a server with a start command instead.',
  plugins: 'Run what the plugin does in the build command.',
  context: 'Use the same build for all branches, and variables for each target.',
  images: 'Images are served as they are.',
  template: 'Set the variables of the project instead.',
};
const KNOWN_OF_NETLIFY = new Set(['build', 'redirects', 'headers', 'dev']);

/** Reads the settings of vercel.json and netlify.toml, in this order. One line names each unsupported part. */
export function repositoryFilesOf({ vercel, netlify }: Inspection, report: Report): RepositoryFiles {
  const ofVercel = jsonObject(vercel) ?? {};
  const ofNetlify = tomlObject(netlify, report) ?? {};
  noteUnknown('vercel.json', ofVercel, { known: KNOWN_OF_VERCEL, advice: ADVICE_OF_VERCEL }, report);
  noteUnknown('netlify.toml', ofNetlify, { known: KNOWN_OF_NETLIFY, advice: ADVICE_OF_NETLIFY }, report);
  const build = objectOf(ofNetlify['build']);
  if (build['base'] !== undefined)
    report('"build.base" of netlify.toml is not used. Set the root directory of the project instead.');
  return {
    settings: { ...netlifySettings(build, report), ...vercelSettings(ofVercel, report) },
    node: textOf(objectOf(build['environment'])['NODE_VERSION']),
    crons: cronsOf(ofVercel['crons'], report),
  };
}

function noteUnknown(
  file: string,
  content: Json,
  { known, advice }: { readonly known: ReadonlySet<string>; readonly advice: Readonly<Record<string, string>> },
  report: Report,
): void {
  for (const part of Object.keys(content).slice(0, 50)) {
    if (known.has(part)) continue;
    const instead = Object.hasOwn(advice, part) ? ` ${advice[part]}` : '';
    report(`"${part.slice(0, 100)}" of ${file} is not supported.${instead}`);
  }
}

function vercelSettings(content: Json, report: Report): FileSettings {
  const { framework, installCommand, buildCommand, outputDirectory } = content;
  const preset =
    framework === IMAGE_FRAMEWORK
      ? { name: IMAGE_FRAMEWORK }
      : typeof framework === 'string'
        ? presetNamed(framework)
        : null;
  if (typeof framework === 'string' && preset === null)
    report(`The framework "${framework.slice(0, 100)}" of vercel.json is not known. It is detected instead.`);
  return {
    ...(preset === null ? {} : { framework: preset.name }),
    ...commandOf('installCommand', installCommand, report),
    ...commandOf('buildCommand', buildCommand, report),
    ...outputOf('outputDirectory of vercel.json', outputDirectory, report),
  };
}

function netlifySettings({ command, publish }: Json, report: Report): FileSettings {
  // Plugins of Netlify turn hidden directories such as `.next` into functions.
  const isHidden = typeof publish === 'string' && publish.startsWith('.') && !publish.startsWith('./');
  return {
    ...commandOf('buildCommand', command, report),
    ...(isHidden ? {} : outputOf('build.publish of netlify.toml', publish, report)),
  };
}

/** An empty command means that there is nothing to run. */
function commandOf<Name extends 'installCommand' | 'buildCommand'>(
  name: Name,
  value: unknown,
  report: Report,
): Partial<Record<Name, string>> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'string' && value.length <= LONGEST_COMMAND && !/[\p{Cc}\p{Cs}]/u.test(value))
    return { [name]: value.trim() } as Partial<Record<Name, string>>;
  report(
    `The ${name} of a configuration file was left out: expected is one line of at most ${LONGEST_COMMAND} characters.`,
  );
  return {};
}

function outputOf(name: string, value: unknown, report: Report): Pick<FileSettings, 'outputDirectory'> {
  if (value === undefined || value === null) return {};
  const directory = typeof value === 'string' ? value.replace(/^\.?\//, '').replace(/\/$/, '') : '';
  if (directory !== '' && isBelow(directory)) return { outputDirectory: directory };
  report(`The ${name} was left out: expected is a directory below the root directory of the project.`);
  return {};
}

function cronsOf(value: unknown, report: Report): CronEntry[] {
  return (Array.isArray(value) ? value : []).slice(0, MOST_CRONS).flatMap((raw: unknown) => {
    const { path, schedule } = objectOf(raw);
    const isPath = typeof path === 'string' && /^\/(?!\/)[\x21-\x7e]{0,511}$/.test(path);
    if (
      isPath &&
      typeof schedule === 'string' &&
      /^[\dA-Za-z*,/?#-]{1,40}(?: [\dA-Za-z*,/?#-]{1,40}){4}$/.test(schedule)
    )
      return [{ path, schedule }];
    report(
      'An entry of crons in vercel.json was left out: expected are a path and a schedule of five fields. It is ' +
        `${(JSON.stringify(raw) as string | undefined)?.slice(0, 200) ?? 'empty'}.${moreAt('framework')}`,
    );
    return [];
  });
}

/** Null if it is no JSON object. The routing rules report that. */
function jsonObject(text: string | null): Json | null {
  try {
    const value = JSON.parse(text ?? 'null') as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

export function tomlObject(text: string | null, report: Report): Json | null {
  if (text === null) return null;
  if (text.length > LARGEST_TOML) {
    report(`netlify.toml was left out: it has more than ${LARGEST_TOML} characters.`);
    return null;
  }
  try {
    return parseToml(text);
  } catch {
    report('netlify.toml was left out: it is not valid TOML.');
    return null;
  }
}

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 100) : null);
