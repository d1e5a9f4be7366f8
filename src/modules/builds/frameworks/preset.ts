import { type Source } from './source.js';

type Derived<Value> = Value | ((source: Source) => Value);

/**
 * What is known about one framework. A preset is data: the planner reads it, and docs/frameworks.md is generated from
 * it.
 */
export interface Preset {
  /** One of `FRAMEWORKS`. */
  readonly name: string;
  readonly title: string;
  /** The names that vercel.json uses for it, if they differ. */
  readonly aliases?: readonly string[];
  readonly detect: Detection;
  /** The command of a project that has none of the scripts in `buildScripts`. */
  readonly build: Derived<string | null>;
  /** The scripts of package.json that build. The first one that exists is run. It defaults to `build`. */
  readonly buildScripts?: Derived<readonly string[]>;
  /** Installs the packages of a project that is not for Node. The default follows from its lock file. */
  readonly install?: (source: Source) => string | null;
  /** Variables of the build command. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Directories that make the next build faster, relative to the root directory of the project. */
  readonly caches?: readonly string[];
  /** The same as `caches`, relative to the root of the sandbox. */
  readonly cachesElsewhere?: readonly string[];
  /** True when builds of this framework never write to `node_modules`, so that cached packages need no copy. */
  readonly leavesModulesAlone?: boolean;
  /** The first mode whose condition holds. The last one has no condition. */
  readonly modes: readonly Mode[];
}

/** A framework is detected by any of its packages or files. */
export interface Detection {
  /** Packages in `dependencies` or `devDependencies`. */
  readonly packages?: readonly string[];
  /** Files relative to the root directory. `x.config` stands for the usual extensions of a configuration file. */
  readonly files?: readonly string[];
  /** A further condition, with its words for the table. */
  readonly when?: (source: Source) => boolean;
  readonly condition?: string;
}

export type Mode = SiteMode | ServerMode | RefusedMode;

interface ModeBase {
  readonly when?: (source: Source) => boolean;
  /** The condition in the words of the table: `with output: 'export'`. */
  readonly condition?: string;
}

/** Static files. Nothing outside of the output directory is published. */
export interface SiteMode extends ModeBase {
  readonly kind: 'site';
  /** Directories relative to the root directory. The first one that has a page is published. */
  readonly outputs: Derived<readonly string[]>;
  /** Directories of the output in which file names contain a hash of the content. */
  readonly immutable?: readonly string[];
  /** The page of a single-page app, which answers paths that have no file. */
  readonly fallback?: Derived<string | null>;
  /** True when an `index.html` at the top may be the site itself, if the build leaves no page elsewhere. */
  readonly buildsBesidePages?: boolean;
  /** The path that the pages are built for, if it is not the top: `/shop`. They are found there, too. */
  readonly base?: (source: Source) => string | null;
  /** The page for addresses that lead nowhere, if it is not `404.html`. */
  readonly notFound?: string;
  readonly adapter?: (source: Source) => Adapter | null;
}

/** A server. Only `publicFiles` are sent to visitors without it. */
export interface ServerMode extends ModeBase {
  readonly kind: 'server';
  /**
   * What the server needs: the repository with its packages, the standalone server of Next.js, or a directory of the
   * output.
   */
  readonly tree: 'repository' | 'standalone' | { readonly directory: string };
  /** Files that the build has to leave, relative to the root directory. */
  readonly leaves?: Derived<readonly string[]>;
  /**
   * Starts the server, or null when nothing says how. The working directory is the root directory of the project, or
   * the directory of `tree`.
   */
  readonly start: (source: Source) => readonly string[] | null;
  readonly publicFiles?: Derived<readonly PublicFiles[]>;
  readonly adapter?: (source: Source) => Adapter | null;
}

export interface PublicFiles {
  /** A directory relative to the root directory. */
  readonly directory: string;
  /** The path prefix of requests, without a trailing slash. */
  readonly prefix: string;
  readonly immutable?: boolean;
}

/** A source that is recognized and cannot be served. */
export interface RefusedMode extends ModeBase {
  readonly kind: 'refused';
  readonly code: 'framework_not_found' | 'output_not_found';
  readonly message: (source: Source) => string;
}

/** A package that a build adds so that its output runs on Node. */
export interface Adapter {
  /** With a range of versions: `@astrojs/node@^9`. They are installed next to the packages of the project. */
  readonly packages: readonly string[];
  /** The names of the packages that the project has to find in its `node_modules`. */
  readonly links: readonly string[];
  /** A configuration file that is replaced by one that wraps it. */
  readonly wraps?: {
    readonly file: string;
    readonly original: string;
    readonly text: string;
  };
  /** Further files to write, relative to the root directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** The reason, for the log. */
  readonly reason: string;
}

export const derive = <Value>(value: Derived<Value>, source: Source): Value =>
  typeof value === 'function' ? (value as (source: Source) => Value)(source) : value;
