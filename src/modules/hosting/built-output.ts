/** The result of a build: the collected files, and how to serve them. */
export interface BuiltOutput {
  /** `nextjs`, `vite`, `static` and so on. It informs readers of a manifest; nothing depends on it. */
  readonly framework: string;
  /** The release line of Node that the server runs on, such as `24`. Null selects the default of the service. */
  readonly nodeVersion: string | null;
  readonly kind: 'static' | 'server';
  /**
   * The command that starts the server, in a directory relative to the collected tree. `node` is the Node of
   * `nodeVersion`. The server must listen on PORT and HOSTNAME.
   */
  readonly server: ServerCommand | null;
  /**
   * Directories of the tree that are served as static files; the first one that has a file wins. The names of
   * `immutable` files contain a hash.
   */
  readonly static: readonly StaticMount[];
  readonly routing: Routing;
  /** Requests that the repository wants at times. They are no part of what is served. */
  readonly crons?: readonly CronEntry[];
  /**
   * Yields the collected regular files and links, each once, in any order.
   *
   * @throws {BuildFailed} `output_too_large`, `output_not_found`, `isolation_unavailable`
   */
  files(): AsyncIterable<BuiltFile | BuiltLink>;
}

/** An entry of `crons` in vercel.json. */
export interface CronEntry {
  readonly path: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly schedule: string;
}

export interface BuiltFile {
  /** A relative UTF-8 path, separated by `/`, without `.`, `..`, empty names or control characters. */
  readonly path: string;
  readonly bytes: number;
  readonly executable: boolean;
  /** It must be read before the next file is requested; unread content is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

/** A symbolic link within the collected files, for the server. Visitors never receive what it leads to. */
export interface BuiltLink {
  /** In the form of {@link BuiltFile.path}. No file lies below it. */
  readonly path: string;
  /** A path relative to the directory of the link, such as `../packages/a`. It leads to a path of the tree. */
  readonly linkTo: string;
}

export interface ServerCommand {
  readonly command: readonly string[];
  readonly directory: string;
  /** The path that must answer with a status below 500 before the deploy goes live; `/` if absent. */
  readonly healthPath?: string;
  /** How long the server may take until it answers; the default of the service if absent. */
  readonly startTimeoutMs?: number;
  /** Present when the collected tree is the root of a container image, in which the server runs. */
  readonly image?: ImageServer;
}

/** What the server of a container image needs besides its command. */
export interface ImageServer {
  /** The variables of the image. Those of the project replace them. */
  readonly environment: Readonly<Record<string, string>>;
  /** The port that the server listens on, which it also finds in PORT. */
  readonly port: number;
}

export interface StaticMount {
  /** A directory within the collected files; empty for all of them. */
  readonly directory: string;
  /** The path prefix of requests, such as `/` or `/_next/static`, without a trailing slash. */
  readonly prefix: string;
  readonly immutable: boolean;
}

/** Sources are patterns of vercel.json: `/blog/:slug`, `/old/:path*`, `/(.*)`. Destinations use their parameters. */
export interface Routing {
  readonly redirects: readonly Redirect[];
  /** Rewrites apply when no file has the path, and lead only to paths of the deploy. */
  readonly rewrites: readonly Rewrite[];
  readonly headers: readonly HeaderRule[];
  /** `/about` serves `about.html`, and `/about.html` redirects to `/about`. */
  readonly cleanUrls: boolean;
  /** Whether paths of pages end in `/`; the other form redirects. With null, it follows from the files. */
  readonly trailingSlash: boolean | null;
  /** The file to serve when nothing is found. Null selects `404.html`, if it exists. */
  readonly notFound: string | null;
  /** The page of a single-page app, which answers navigations to paths that have no file. Older deploys have none. */
  readonly fallback?: string | null;
}

/** The same as in vercel.json: a rule applies when all of `has` and none of `missing` match the request. */
export interface RouteCondition {
  readonly type: 'header' | 'cookie' | 'host' | 'query';
  /** Absent for `host`. */
  readonly key?: string;
  /** A regular expression for the whole value. Without it, any value matches. */
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
  /** The default is 308. */
  readonly statusCode?: number;
}

export interface Rewrite extends Rule {
  readonly destination: string;
}

export interface HeaderRule extends Rule {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}
