import { posix } from 'node:path';

import { type BuildSettings } from '../build-request.js';
import type { StaticMount } from '../../hosting/built-output.js';
import { spoken } from '../../hosting/server-commands.js';
import { derive, type Mode, type PublicFiles, type ServerMode, type SiteMode } from '../frameworks/preset.js';
import { type Source } from '../frameworks/source.js';
import { commandOf, pythonCommand } from '../frameworks/start-commands.js';
import { BuildFailed } from '../build-failed.js';
import { type Inspection } from './inspection.js';
import { moreAt } from './more-at.js';
import { FRONT_PAGE } from './required-output.js';
import { exceptions } from './public-files.js';
import { type BuildPlan, installedIn, type PackedDirectory, SOURCE } from './plan-types.js';

interface ServingParts {
  readonly mode: Mode;
  readonly source: Source;
  readonly settings: BuildSettings;
  /** The settings that the project has itself, without those of files. */
  readonly set: BuildSettings;
  readonly inspection: Inspection;
  readonly root: string;
  readonly hasBuild: boolean;
}

export interface Serving extends Pick<BuildPlan, 'pack' | 'serve' | 'pages' | 'adapter' | 'base'> {
  /** The start command in words, or null for static files. */
  readonly start: string | null;
  readonly output: string | null;
}

/** Decides what is collected, what is public, and how a server starts. @throws {BuildFailed} */
export function servingOf(parts: ServingParts): Serving {
  const { mode, settings, set, source } = parts;
  if (settings.startCommand !== undefined)
    return serverIn(parts, {
      kind: 'server',
      tree: 'repository',
      start: () => (source.python === null ? commandOf(settings.startCommand!) : pythonCommand(settings.startCommand!)),
      ...(mode.kind === 'server' && mode.publicFiles !== undefined ? { publicFiles: mode.publicFiles } : {}),
    });
  switch (mode.kind) {
    case 'refused':
      throw new BuildFailed(mode.code, `${mode.message(source)}${moreAt('refused')}`);
    case 'site':
      return siteIn(parts, mode);
    case 'server':
      // A directory of the output that the project names has files to publish, not a server.
      return typeof mode.tree === 'object' && set.outputDirectory !== undefined
        ? siteIn(parts, { kind: 'site', outputs: [] })
        : serverIn(parts, mode);
  }
}

/** Serves static files: the output of the build, or the repository itself if there is no build. */
function siteIn({ source, settings, inspection, root, hasBuild }: ServingParts, mode: SiteMode): Serving {
  const site = { to: '', site: true, except: exceptions(source, false) };
  const named = (from: string): PackedDirectory => ({ ...site, from: posix.join(root, from), named: from });
  const asItLies: PackedDirectory = {
    ...site,
    from: root,
    named: 'the root directory',
    except: exceptions(source, true),
  };
  const outputs = [...new Set(derive(mode.outputs, source))];
  // The source of a project with packages is not a site, unless its pages lie at the top.
  const isSite = inspection.manifest === null || inspection.entries.some((name) => /\.html?$/i.test(name));
  const found = hasBuild
    ? // A build may make only the styles or scripts of a page that lies at the top.
      [
        ...outputs.map(named),
        ...(mode.buildsBesidePages === true && inspection.entries.includes('index.html') ? [asItLies] : []),
      ]
    : inspection.entries.includes('index.html')
      ? [asItLies]
      : [...outputs.map(named), ...(isSite ? [asItLies] : [])];
  const candidates = settings.outputDirectory === undefined ? found : [named(settings.outputDirectory)];
  const immutable = mode.immutable ?? [];
  const base = mode.base?.(source) ?? null;
  const pages = { fallback: derive(mode.fallback ?? null, source), notFound: mode.notFound ?? '404.html' };
  return {
    pack: {
      within: SOURCE,
      root,
      candidates,
      more: [],
      standalone: false,
      needsPage: true,
      pages: [FRONT_PAGE, ...Object.values(pages).filter((page) => page !== null)],
      leaves: [],
    },
    pages,
    serve: () => ({
      kind: 'static',
      server: null,
      static: [...['', base].flatMap((at) => (at === null ? [] : mountsOf(at, immutable)))],
    }),
    adapter: mode.adapter?.(source) ?? null,
    base,
    start: null,
    output: candidates[0]?.named ?? null,
  };
}

const mountsOf = (base: string, immutable: readonly string[]): StaticMount[] => [
  ...immutable.map((directory) => ({ directory, prefix: `${base}/${directory}`, immutable: true })),
  { directory: '', prefix: base === '' ? '/' : base, immutable: false },
];

function serverIn(parts: ServingParts, mode: ServerMode): Serving {
  const { source, settings } = parts;
  const { healthPath, startTimeoutMs } = settings;
  const command = mode.start(source);
  if (command === null)
    throw new BuildFailed(
      'framework_not_found',
      `Nothing says how to start the server: ${missingScript(source)}, and there is no file such as ` +
        `server.js. Add a start script, or set the start command of the project${imageOf(parts)}.${moreAt('servers')}`,
    );
  requireNode(source, spoken(command));
  const tree = treeOf(parts, mode);
  const publicFiles = derive(mode.publicFiles ?? [], source);
  return {
    pack: { ...tree.pack, root: parts.root, needsPage: false, pages: [], leaves: tree.leaves },
    pages: { fallback: null, notFound: null },
    serve: ({ server }) => {
      const at = mode.tree === 'standalone' ? (server ?? '') : tree.directory;
      return {
        kind: 'server',
        server: {
          command,
          directory: at,
          ...(healthPath === undefined ? {} : { healthPath }),
          ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
        },
        static: publicFiles.map((files) => mountOf(files, mode.tree, at)),
      };
    },
    adapter: mode.adapter?.(source) ?? null,
    base: null,
    start: spoken(command),
    output:
      typeof mode.tree === 'object' ? mode.tree.directory : mode.tree === 'standalone' ? '.next/standalone' : null,
  };
}

const imageOf = ({ inspection }: ServingParts): string =>
  inspection.dockerfile === null ? '' : ', or set the framework to docker to build the Dockerfile';

const missingScript = (source: Source): string => {
  const start = source.script('start');
  return start === undefined
    ? 'there is no start script in package.json'
    : `the start script of package.json, "${start.slice(0, 200)}", is for development`;
};

/** Servers have Node.js and Python, and Bun only as a package of the project. */
function requireNode(source: Source, command: string): void {
  const named = /(?:^|&&|;|\s)bunx?\s/.test(command.slice(0, 2_000)) ? 'the start command runs it' : null;
  const written =
    source.script('start') === undefined &&
    source.uses('@types/bun', 'bun-types') &&
    /^node [\w./-]{1,200}\.[cm]?tsx?$/.test(command)
      ? 'package.json has the types of Bun, and no start script for Node.js'
      : null;
  const found =
    named ?? written ?? (source.uses('elysia') && !source.uses('@elysiajs/node') ? 'elysia listens only there' : null);
  if (found === null || source.uses('bun')) return;
  throw new BuildFailed(
    'framework_not_found',
    `The server needs Bun: ${found}, and servers run on Node.js. Found as start command: ${command.slice(0, 200)}. ` +
      'Expected is a program for Node.js. Start the app with it (for Elysia, with the package @elysiajs/node), and ' +
      `set the start command of the project.${moreAt('servers')}`,
  );
}

const mountOf = (
  { directory, prefix, immutable = false }: PublicFiles,
  tree: ServerMode['tree'],
  at: string,
): StaticMount => ({
  directory: typeof tree === 'object' ? posix.relative(tree.directory, directory) : posix.join(at, directory),
  prefix,
  immutable,
});

interface Tree {
  readonly pack: Omit<BuildPlan['pack'], 'root' | 'needsPage' | 'pages' | 'leaves'>;
  /** Files that the build has to leave, relative to the directory that is collected. */
  readonly leaves: readonly string[];
  /** The working directory of the server, relative to the directory that is collected. */
  readonly directory: string;
}

function treeOf({ source, inspection, root }: ServingParts, mode: ServerMode): Tree {
  const leaves = derive(mode.leaves ?? [], source);
  const directory = (from: string, to: string): PackedDirectory => ({
    from: posix.join(root, from),
    to,
    named: from,
    except: [],
    site: false,
  });
  if (mode.tree === 'standalone')
    return {
      pack: {
        within: SOURCE,
        candidates: [directory('.next/standalone', '')],
        // The standalone server expects its static files next to it.
        more: [directory('.next/static', '.next/static'), directory('public', 'public')],
        standalone: true,
      },
      leaves: [],
      directory: '',
    };
  if (typeof mode.tree === 'object') {
    const { directory: from } = mode.tree;
    return {
      pack: { within: SOURCE, candidates: [directory(from, '')], more: [], standalone: false },
      leaves: leaves.map((file) => posix.relative(from, file)),
      directory: '',
    };
  }
  // The packages of a monorepo lie in a directory above the application.
  const top = installedIn(inspection, root);
  const at = posix.relative(top, root);
  return {
    pack: {
      within: SOURCE,
      candidates: [{ from: top, to: '', named: 'the repository', except: ['.git'], site: false }],
      more: [],
      standalone: false,
    },
    leaves: leaves.map((file) => posix.join(at, file)),
    directory: at,
  };
}
