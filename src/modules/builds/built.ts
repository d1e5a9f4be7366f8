/** A place whose files are served as they are. */
export interface StaticPlace {
  /** Within the collected files; empty for all of them. */
  readonly directory: string;
  /** The path of a request that it answers begins with this; `/` or `/_next/static`, without a slash at the end. */
  readonly prefix: string;
  /** The names of its files hold a hash of what is in them, so that a browser may keep them for ever. */
  readonly immutable: boolean;
}

/** A condition of a rule, as in vercel.json. */
export interface RouteCondition {
  readonly type: 'header' | 'cookie' | 'host' | 'query';
  /** Not there for `host`. */
  readonly key?: string;
  readonly value?: string;
}

interface Rule {
  /** A pattern of path-to-regexp 6, as in vercel.json and next.config.js: `/blog/:slug*`. It begins with `/`. */
  readonly source: string;
  readonly has: readonly RouteCondition[];
  readonly missing: readonly RouteCondition[];
}

export interface RedirectRule extends Rule {
  readonly destination: string;
  readonly statusCode: 301 | 302 | 303 | 307 | 308;
}

export interface RewriteRule extends Rule {
  /** A path of the same site, or an `https` address that the service may refuse to pass requests on to. */
  readonly destination: string;
}

export interface HeaderRule extends Rule {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/**
 * How requests find their file or the server, in the terms of vercel.json; `_redirects` and `_headers` are put into
 * these, too.
 */
export interface Routing {
  readonly redirects: readonly RedirectRule[];
  /** Asked when there is no file at the path. */
  readonly rewrites: readonly RewriteRule[];
  readonly headers: readonly HeaderRule[];
  /** `/about` answers `about.html`, and `/about.html` leads there. */
  readonly cleanUrls: boolean;
  /** Null: as it comes. */
  readonly trailingSlash: boolean | null;
  /** The file for what is not found, within the collected files. */
  readonly notFound: string | null;
}

/** One file of what was built. */
export interface BuiltFile {
  /** Relative, with `/` between, without `.`, `..`, empty names, control characters or what no UTF-8 is. */
  readonly path: string;
  readonly bytes: number;
  readonly executable: boolean;
  /** To be read before the next file is asked for; what is left unread is passed over. */
  readonly content: AsyncIterable<Buffer>;
}

/** What came of a build. Its files are on this machine until it is closed. */
export interface Built {
  readonly framework: string;
  /** The release line of Node it was built with; null where no program was run. */
  readonly nodeVersion: string | null;
  readonly kind: 'static' | 'server';
  /**
   * How to start it. `command` is an argv, of which `node` is the Node of {@link nodeVersion}, started in `directory`
   * of the collected files. It listens where PORT and HOSTNAME say.
   */
  readonly server: { readonly command: readonly string[]; readonly directory: string } | null;
  readonly static: readonly StaticPlace[];
  readonly routing: Routing;

  /**
   * The collected files, once, in any order: regular files only.
   *
   * @throws {BuildFailed} `output_too_large`, `output_not_found`, `isolation_unavailable`
   */
  files(): AsyncIterable<BuiltFile>;

  /**
   * Removes everything that this build has on this machine, and keeps its caches for the next one if the deploy went
   * well. To be called in any case.
   */
  close(options: { readonly keepCaches: boolean }): Promise<void>;
}
