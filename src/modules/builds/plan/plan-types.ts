import { posix } from 'node:path';

import { type Built, type UsedSettings } from '../built.js';
import type { CronEntry } from '../../hosting/built-output.js';
import { type Adapter } from '../frameworks/preset.js';
import { type Inspection } from './inspection.js';
import { type PackageManager } from './package-manager.js';

export const SOURCE = '/work/source';

/** The directory that packages are installed in. That of a monorepo lies above the application. */
export function installedIn({ lock, workspace }: Inspection, root: string): string {
  const directory = lock?.directory ?? workspace;
  return directory === null ? root : posix.join(SOURCE, directory);
}

/** A directory to collect. All paths are those inside of the sandbox. */
export interface PackedDirectory {
  readonly from: string;
  readonly to: string;
  /** The name of the directory in messages to users. */
  readonly named: string;
  readonly except: readonly string[];
  /** Files whose name begins with a dot are for the repository, not for visitors. */
  readonly site: boolean;
}

/** The input of `inside/pack.cjs`. */
interface PackPlan {
  readonly within: string;
  /** The root directory of the application, where a message looks for other directories. */
  readonly root: string;
  /** The first directory that exists is collected. */
  readonly candidates: readonly PackedDirectory[];
  readonly more: readonly PackedDirectory[];
  /** True to search the directory for the standalone server of Next.js. */
  readonly standalone: boolean;
  /** True when only a directory that has an HTML page is collected. */
  readonly needsPage: boolean;
  /** Pages whose existence the packer reports. */
  readonly pages: readonly string[];
  /** Files that must exist in the directory that is collected. */
  readonly leaves: readonly string[];
}

export interface BuildPlan {
  readonly framework: string;
  /** Null when the build runs no program. */
  readonly nodeVersion: string | null;
  /** The root directory of the application, as a path inside. */
  readonly root: string;
  readonly install: { readonly command: string; readonly directory: string; readonly cacheKey: string | null } | null;
  /** The packages that the project names itself. */
  readonly dependencies: readonly string[];
  readonly build: string | null;
  /** The package manager to fetch for the build. Null stands for npm. */
  readonly packageManager: PackageManager | null;
  /** Variables of the install command and the build command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of the build command only. */
  readonly buildEnvironment: Readonly<Record<string, string>>;
  /** A package to add before the build. */
  readonly adapter: Adapter | null;
  readonly settings: UsedSettings;
  readonly crons: readonly CronEntry[];
  /** Directories that are cached to make the next build faster. */
  readonly frameworkCaches: { readonly within: string; readonly paths: readonly string[] };
  /** True when builds of this framework never write to `node_modules`, so that cached packages need no copy. */
  readonly leavesModulesAlone: boolean;
  readonly pack: PackPlan;
  /** Names that are never published if the output is the root directory itself. */
  readonly rootExceptions: readonly string[];
  /** Pages for paths without a file, which apply if the output has them. */
  readonly pages: { readonly fallback: string | null; readonly notFound: string | null };
  /** The path that the pages are built for, or null if it is the top. */
  readonly base: string | null;
  readonly serve: (facts: {
    readonly output: string;
    readonly server: string | null;
  }) => Pick<Built, 'kind' | 'server' | 'static'>;
}
