import { posix } from 'node:path';

import { BuildFailed } from '../build-failed.js';
import { type BuildSettings } from '../build-request.js';
import { detectFramework, outputOf } from './frameworks.js';
import { type Inspection } from './inspection.js';
import { nodeVersionFor } from './node-version.js';
import { type BuildPlan, SOURCE } from './plan-types.js';

/** The tools that this machine has for builds. */
interface AvailableTools {
  /** Major versions, newest first. */
  readonly nodeVersions: readonly string[];
  readonly report: (text: string) => void;
}

/** Decides how a source becomes files to be served. @throws {BuildFailed} `framework_not_found`, `install_failed` */
export function planOf(settings: BuildSettings, inspection: Inspection, tools: AvailableTools): BuildPlan {
  const framework = settings.framework ?? detectFramework(inspection);
  if (framework === null) {
    throw new BuildFailed(
      'framework_not_found',
      'No known framework and no HTML file was found. Set the framework or the root directory of the project.',
    );
  }
  const root = posix.join(SOURCE, settings.rootDirectory ?? '');
  const build = buildCommandOf(framework, settings, inspection);
  const runs = inspection.manifest !== null || build !== null;
  const nodeVersion = settings.nodeVersion ?? usableNode(inspection.manifest?.node ?? inspection.nodeFile, tools);
  return {
    framework,
    nodeVersion: runs ? nodeVersion : null,
    root,
    install: installOf(settings, inspection, root),
    build,
    environment: toolVersions(inspection),
    ...outputOf({ framework, settings, inspection, root, hasBuild: build !== null }),
  };
}

/** If the requested version of Node is not available, the newest is used with a note: most sources work with it. */
function usableNode(range: string | null, { nodeVersions, report }: AvailableTools): string {
  const newest = nodeVersions[0]!;
  if (range === null || range.trim() === '') return newest;
  const fitting = nodeVersionFor(range, nodeVersions);
  if (fitting === null)
    report(
      `Node ${range.slice(0, 100)} is not available. Using ${newest}; available are ${nodeVersions.join(' and ')}.`,
    );
  return fitting ?? newest;
}

function buildCommandOf(framework: string, { buildCommand }: BuildSettings, { manifest }: Inspection): string | null {
  if (buildCommand !== undefined) return buildCommand;
  if (manifest?.scripts.build !== undefined) return 'npm run build';
  return DEFAULT_BUILDS[framework] ?? null;
}

const DEFAULT_BUILDS: Readonly<Record<string, string>> = {
  nextjs: 'npx next build',
  expo: 'npx expo export -p web',
  astro: 'npx astro build',
  vite: 'npx vite build',
  nuxt: 'npx nuxt build',
  sveltekit: 'npx vite build',
  'react-router': 'npx react-router build',
};

function installOf(
  { installCommand }: BuildSettings,
  { manifest, lock, installHash, hasWorkspaces }: Inspection,
  root: string,
): BuildPlan['install'] {
  const directory = lock === null ? root : posix.join(SOURCE, lock.directory);
  // Packages of workspaces lie in several directories, but only one is cached.
  const cacheKey = lock === null || hasWorkspaces ? null : installHash;
  if (installCommand !== undefined)
    return { command: installCommand, directory: root, cacheKey: directory === root ? cacheKey : null };
  if (manifest === null || (lock === null && Object.keys(manifest.dependencies).length === 0)) return null;
  switch (lock?.name) {
    case 'package-lock.json':
    case 'npm-shrinkwrap.json':
      return { command: 'npm ci --include=dev', directory, cacheKey };
    case 'pnpm-lock.yaml':
      return { command: 'pnpm install --frozen-lockfile', directory, cacheKey };
    case 'yarn.lock':
      return {
        command: isModernYarn(manifest.packageManager) ? 'yarn install --immutable' : 'yarn install --frozen-lockfile',
        directory,
        cacheKey,
      };
    case undefined:
      return { command: 'npm install --include=dev --no-package-lock', directory, cacheKey: null };
    default:
      throw new BuildFailed(
        'install_failed',
        `The lock file ${lock?.name} is not supported. Add a package-lock.json or set an install command.`,
      );
  }
}

const isModernYarn = (packageManager: string | null): boolean => /^yarn@[2-9]/.test(packageManager ?? '');

/** The versions of pnpm and yarn that package.json names. Our wrappers fetch them. */
function toolVersions({ manifest }: Inspection): Record<string, string> {
  const [, name, version] = /^(pnpm|yarn)@(\d+(?:\.\d+){0,2})/.exec(manifest?.packageManager ?? '') ?? [];
  if (name === 'pnpm') return { BUILD_PNPM: version! };
  if (name === 'yarn')
    return { BUILD_YARN: version!.startsWith('1') ? `yarn@${version}` : `@yarnpkg/cli-dist@${version}` };
  return {};
}
