import { posix } from 'node:path';

import { type BuildSettings } from '../build-request.js';
import type { StaticMount } from '../../hosting/built-output.js';
import { type Inspection } from './inspection.js';
import { type BuildPlan, type PackedDirectory, SOURCE } from './plan-types.js';

/** Each framework is detected by a package that only its applications have. The first match wins. */
const BY_PACKAGE: readonly (readonly [packageName: string, framework: string])[] = [
  ['next', 'nextjs'],
  ['expo', 'expo'],
  ['astro', 'astro'],
  ['nuxt', 'nuxt'],
  ['@react-router/dev', 'react-router'],
  ['@sveltejs/kit', 'sveltekit'],
  ['vite', 'vite'],
];

const SERVER_FILES = ['server.js', 'server.mjs', 'index.js', 'index.mjs'];
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  expo: ['dist'],
  astro: ['dist'],
  vite: ['dist'],
  sveltekit: ['build'],
  'react-router': ['build/client'],
  static: ['dist', 'build', 'out', 'public', '_site', 'www'],
};
/** Directories in which file names contain a hash of the content, so that browsers may cache them for ever. */
const IMMUTABLE: Readonly<Record<string, string>> = {
  expo: '_expo/static',
  astro: '_astro',
  vite: 'assets',
  nextjs: '_next/static',
  sveltekit: '_app/immutable',
  'react-router': 'assets',
};
const CACHES: Readonly<Record<string, readonly string[]>> = { nextjs: ['.next/cache'] };
/** Metro keeps its cache in the directory for temporary files. */
const CACHES_ELSEWHERE: Readonly<Record<string, { within: string; paths: readonly string[] }>> = {
  expo: { within: '/', paths: ['tmp/metro-cache'] },
};
const LEAVE_MODULES_ALONE = ['nextjs', 'expo'];

/** Files for tools, which are not served from the root directory of a site without a build. */
const NOT_SITE = [
  'node_modules',
  'package.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'vercel.json',
  'netlify.toml',
  '_redirects',
  '_headers',
];
const ROUTING_FILES = ['_redirects', '_headers'];

export function detectFramework({ manifest, entries }: Inspection): string | null {
  const known = BY_PACKAGE.find(([name]) => manifest?.dependencies[name] !== undefined)?.[1];
  if (known !== undefined) return known;
  if (manifest?.scripts.start !== undefined) return 'node';
  const hasPages = entries.some((name) => /\.html?$/i.test(name)) || entries.includes('public');
  if (hasPages || manifest?.scripts.build !== undefined) return 'static';
  return manifest !== null && SERVER_FILES.some((name) => entries.includes(name)) ? 'node' : null;
}

interface OutputParts {
  readonly framework: string;
  readonly settings: BuildSettings;
  readonly inspection: Inspection;
  readonly root: string;
  readonly hasBuild: boolean;
}

type Output = Pick<BuildPlan, 'pack' | 'serve' | 'frameworkCaches' | 'leavesModulesAlone'>;

export function outputOf(parts: OutputParts): Output {
  const { framework } = parts;
  const frameworkCaches = CACHES_ELSEWHERE[framework] ?? { within: parts.root, paths: CACHES[framework] ?? [] };
  return { ...servingOf(parts), frameworkCaches, leavesModulesAlone: LEAVE_MODULES_ALONE.includes(framework) };
}

function servingOf(parts: OutputParts): Pick<Output, 'pack' | 'serve'> {
  const { framework, inspection } = parts;
  if (framework === 'nextjs') return inspection.nextExports ? siteIn(parts, ['out']) : nextServer(parts);
  if (framework === 'nuxt' && parts.settings.outputDirectory === undefined) return nuxtServer(parts);
  const isServer =
    framework === 'node' ||
    ((framework === 'react-router' || framework === 'sveltekit') && inspection.manifest?.scripts.start !== undefined);
  return isServer ? nodeServer(parts) : siteIn(parts, OUTPUTS[framework] ?? OUTPUTS.static!);
}

/** Serves static files: the output of the build, or the repository itself if there is no build. */
function siteIn(
  { framework, settings, inspection, root, hasBuild }: OutputParts,
  usual: readonly string[],
): Pick<Output, 'pack' | 'serve'> {
  const site = { to: '', site: true, except: ROUTING_FILES };
  const named = (from: string): PackedDirectory => ({ ...site, from: posix.join(root, from), named: from });
  const asItLies: PackedDirectory = { ...site, from: root, named: 'the root directory', except: NOT_SITE };
  const found = hasBuild
    ? usual.map(named)
    : inspection.entries.includes('index.html')
      ? [asItLies]
      : [...usual.filter((name) => name === 'public').map(named), asItLies];
  const candidates = settings.outputDirectory === undefined ? found : [named(settings.outputDirectory)];
  const immutable = IMMUTABLE[framework];
  const everything: StaticMount = { directory: '', prefix: '/', immutable: false };
  return {
    pack: { within: SOURCE, candidates, more: [], standalone: false },
    serve: () => ({
      kind: 'static',
      server: null,
      static:
        immutable === undefined
          ? [everything]
          : [{ directory: immutable, prefix: `/${immutable}`, immutable: true }, everything],
    }),
  };
}

/** Serves the standalone server of Next.js, which expects its static files next to it. */
function nextServer({ root }: OutputParts): Pick<Output, 'pack' | 'serve'> {
  const directory = (from: string, to: string): PackedDirectory => ({
    from: posix.join(root, from),
    to,
    named: from,
    except: [],
    site: false,
  });
  return {
    pack: {
      within: SOURCE,
      candidates: [directory('.next/standalone', '')],
      more: [directory('.next/static', '.next/static'), directory('public', 'public')],
      standalone: true,
    },
    serve: ({ server }) => {
      const at = server ?? '';
      return {
        kind: 'server',
        server: { command: ['node', 'server.js'], directory: at },
        static: [
          { directory: posix.join(at, '.next/static'), prefix: '/_next/static', immutable: true },
          { directory: posix.join(at, 'public'), prefix: '/', immutable: false },
        ],
      };
    },
  };
}

function nuxtServer({ root }: OutputParts): Pick<Output, 'pack' | 'serve'> {
  return {
    pack: {
      within: SOURCE,
      candidates: [{ from: posix.join(root, '.output'), to: '', named: '.output', except: [], site: false }],
      more: [],
      standalone: false,
    },
    serve: () => ({
      kind: 'server',
      server: { command: ['node', 'server/index.mjs'], directory: '' },
      static: [
        { directory: 'public/_nuxt', prefix: '/_nuxt', immutable: true },
        { directory: 'public', prefix: '/', immutable: false },
      ],
    }),
  };
}

/**
 * Serves an application that starts with its script `start`. Everything is collected, including the packages, which
 * lie in a directory above the application in a monorepo.
 */
function nodeServer({ framework, settings, inspection, root }: OutputParts): Pick<Output, 'pack' | 'serve'> {
  const top = inspection.lock === null ? root : posix.join(SOURCE, inspection.lock.directory);
  const directory = posix.relative(top, root);
  const client =
    framework === 'react-router'
      ? [
          {
            directory: posix.join(directory, settings.outputDirectory ?? 'build/client'),
            prefix: '/',
            immutable: false,
          },
        ]
      : [];
  return {
    pack: {
      within: SOURCE,
      candidates: [{ from: top, to: '', named: 'the repository', except: ['.git'], site: false }],
      more: [],
      standalone: false,
    },
    serve: () => ({ kind: 'server', server: { command: startCommandOf(inspection), directory }, static: client }),
  };
}

/** `node server.js` runs without a shell. Other commands need one, with the programs of the packages in its path. */
function startCommandOf({ manifest, entries }: Inspection): string[] {
  const start = manifest?.scripts.start;
  if (start === undefined)
    return ['node', manifest?.main ?? SERVER_FILES.find((name) => entries.includes(name)) ?? 'index.js'];
  if (/^node( [\w./=@-]+)+$/.test(start)) return start.split(' ');
  return ['sh', '-c', `PATH="$PWD/node_modules/.bin:$PATH"; ${start}`];
}
