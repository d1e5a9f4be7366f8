/** The result of a build: the collected files, and how they are to be served. */
export interface BuiltOutput {
  /** `nextjs`, `vite`, `static` …: for people who read a manifest, nothing depends on it. */
  readonly framework: string;
  /** The release line of Node that a server runs with, `24`; null: the one that the service brings. */
  readonly nodeVersion: string | null;
  readonly kind: 'static' | 'server';
  /**
   * For a server: argv to start it, in a directory relative to the collected tree. `node` is the Node of `nodeVersion`.
   * It listens where PORT and HOSTNAME say.
   */
  readonly server: ServerCommand | null;
  /**
   * Directories of the tree that are served as they are, the first that has a file wins. `immutable`: their names carry
   * a hash.
   */
  readonly static: readonly StaticMount[];
  readonly routing: Routing;
  /**
   * The collected files, once, in any order: regular files only.
   *
   * @throws {BuildFailed} `output_too_large`, `output_not_found`, `isolation_unavailable`
   */
  files(): AsyncIterable<BuiltFile>;
}

export interface BuiltFile {
  /** Relative, with `/` between, without `.`, `..`, empty names, control characters or what is not UTF-8. */
  readonly path: string;
  readonly bytes: number;
  readonly executable: boolean;
  /** Read before the next file is asked for; what is left unread is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

export interface ServerCommand {
  readonly command: readonly string[];
  readonly directory: string;
}

export interface StaticMount {
  /** Within the collected files; empty for all of them. */
  readonly directory: string;
  /** What the path of a request begins with: `/` or `/_next/static`, without a slash at the end. */
  readonly prefix: string;
  readonly immutable: boolean;
}

/** Sources are patterns of vercel.json: `/blog/:slug`, `/old/:path*`, `/(.*)`. Destinations name what they caught. */
export interface Routing {
  readonly redirects: readonly Redirect[];
  /** Asked when no file has the path. To paths of the deploy only. */
  readonly rewrites: readonly Rewrite[];
  readonly headers: readonly HeaderRule[];
  /** `/about` shows `about.html`, which itself redirects there. */
  readonly cleanUrls: boolean;
  /** True: paths of pages end in `/`, false: they do not, and the other form redirects; null: as the files lie. */
  readonly trailingSlash: boolean | null;
  /** The file for what is not found, within the collected files; null: `404.html` if there is one. */
  readonly notFound: string | null;
}

/** As in vercel.json: a rule holds where all of `has` are true of a request and none of `missing`. */
export interface RouteCondition {
  readonly type: 'header' | 'cookie' | 'host' | 'query';
  /** Not there for `host`. */
  readonly key?: string;
  /** A regular expression for all of it; left out, any value will do. */
  readonly value?: string;
}

interface Rule {
  readonly source: string;
  readonly has?: readonly RouteCondition[];
  readonly missing?: readonly RouteCondition[];
}

export interface Redirect extends Rule {
  /** A path of the deploy, or an https or http URL. */
  readonly destination: string;
  /** 308 where it is left out. */
  readonly statusCode?: number;
}

export interface Rewrite extends Rule {
  readonly destination: string;
}

export interface HeaderRule extends Rule {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}
