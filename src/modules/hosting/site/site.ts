import { directoryOf } from '../ingest/file-paths.js';
import type { Manifest } from '../ingest/manifest.js';
import { contentTypeOf } from './content-types.js';
import type { RequestFacts } from './request-facts.js';
import { type RedirectTo, Routes } from './routes.js';
import { SiteFile } from './site-file.js';
import { trimEnd } from '../../../platform/text/trim.js';

export type Resolution =
  | { readonly kind: 'file'; readonly file: SiteFile; readonly status: 200 | 404 }
  | ({ readonly kind: 'redirect' } & RedirectTo)
  /**
   * No file has the path. The server of the deploy answers, if it has one; a rewrite gives it another path, which then
   * includes the query.
   */
  | { readonly kind: 'none'; readonly target?: string };

type Header = readonly [string, string];

const NONE: Resolution = { kind: 'none' };
const NO_HEADERS: readonly Header[] = [];

/** The only directory that is public although its name begins with a dot (RFC 8615). */
const WELL_KNOWN = '.well-known';

/** Bundlers name files that never change with a hash of at least eight characters before the extension. */
const WORD = /[\w-]/;
const HASH = /^(?=.*\d)[\w-]{8,}$/;
const HASHED_TYPES = new Set(
  'js mjs css woff woff2 ttf otf eot png jpg jpeg gif webp avif svg ico wasm mp4 webm mp3 map'.split(' '),
);
const BUNDLED_PLACE = /^\/(?:_next\/static|_expo\/static|_astro|assets|static)\//;

/** True when a path may be that of a file which a bundler named by its content. */
export const isBundled = (path: string): boolean => BUNDLED_PLACE.test(path);

/** Finds the file of a deploy that a path shows. */
export class Site {
  private readonly files = new Map<string, SiteFile>();
  /** Requested paths that show a file without a rule. A file has at most three such paths. */
  private readonly pages = new Map<string, Resolution>();
  private readonly hasRules: boolean;
  private readonly notFound: SiteFile | undefined;
  /** The page of a single-page app. */
  private readonly fallback: SiteFile | undefined;

  private constructor(
    readonly manifest: Manifest,
    private readonly routes: Routes,
  ) {
    for (const { directory, prefix, immutable } of manifest.static)
      this.mount(directoryOf(directory)!, trimEnd(prefix, '/'), immutable);
    const { routing } = manifest;
    this.hasRules = routing.redirects.length > 0 || routing.headers.length > 0 || routing.rewrites.length > 0;
    this.notFound = routing.notFound === null ? this.files.get('/404.html') : this.servedAs(routing.notFound);
    const { fallback = null } = routing;
    this.fallback = fallback === null ? undefined : this.servedAs(fallback);
  }

  static async open(manifest: Manifest): Promise<Site> {
    return new Site(manifest, await Routes.of(manifest.routing, 'kept'));
  }

  /** The memory that it uses, counted in files. */
  get weight(): number {
    return this.files.size + this.routes.weight;
  }

  get fileCount(): number {
    return this.files.size;
  }

  /** True when a file has exactly this path. */
  holds(path: string): boolean {
    return this.files.has(path);
  }

  /** The file with exactly this path, if browsers may keep it for ever: its name never stands for another content. */
  immutableFile(path: string): SiteFile | undefined {
    const file = this.files.get(path);
    return file?.isImmutable === true ? file : undefined;
  }

  get hasServer(): boolean {
    return this.manifest.server !== null;
  }

  /**
   * @param path is decoded. Redirects to another form of the same path keep the query, which includes its `?`.
   * @throws {RequestTooCostly} when the rules of the deploy would take too long.
   */
  resolve(path: string, facts: RequestFacts): Resolution {
    const redirect = this.hasRules ? this.routes.redirectOf(path, facts) : undefined;
    if (redirect !== undefined) return { kind: 'redirect', ...redirect };
    const page = facts.isRead ? this.pageOf(path, facts.query) : undefined;
    if (page !== undefined) return page;
    if (this.hasServer) return this.forServer(path, facts);
    return this.rewritten(path, facts) ?? this.missing(path, facts);
  }

  headersOf(path: string, facts: RequestFacts): readonly Header[] {
    return this.hasRules ? this.routes.headersOf(path, facts) : NO_HEADERS;
  }

  private pageOf(path: string, query: string): Resolution | undefined {
    const known = this.pages.get(path);
    if (known !== undefined) return known;
    const found = this.hasServer ? this.exact(path) : this.asPage(path, query);
    // A slice of a long target would keep the complete target in memory.
    if (found?.kind === 'file' && query === '') this.pages.set(path, found);
    return found;
  }

  private exact(path: string): Resolution | undefined {
    const file = this.files.get(path);
    return file === undefined ? undefined : { kind: 'file', file, status: 200 };
  }

  private asPage(path: string, query: string): Resolution | undefined {
    const { cleanUrls, trailingSlash } = this.manifest.routing;
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    if (cleanUrls && path.endsWith('.html') && this.files.has(path)) {
      return moved(path.slice(0, -5).replace(/(?:^|\/)index$/, '') || '/', query);
    }
    const found = this.exact(path);
    if (found !== undefined) return found;

    const index = this.files.get(`${bare === '/' ? '' : bare}/index.html`);
    const page = bare === '/' ? undefined : this.pageAt(`${bare}.html`);
    // Where a page and a directory have the same name, the slash tells them apart.
    const file = path.endsWith('/') && !cleanUrls ? (index ?? page) : (page ?? index);
    if (file === undefined) return undefined;
    // The default form follows from the file, because links of an index are relative to its directory.
    const wantsSlash = trailingSlash ?? (file === index || path.endsWith('/'));
    if (bare !== '/' && wantsSlash !== path.endsWith('/')) return moved(wantsSlash ? `${bare}/` : bare, query);
    return { kind: 'file', file, status: 200 };
  }

  private rewritten(path: string, facts: RequestFacts): Resolution | undefined {
    const to = this.routes.rewriteOf(path, facts);
    if (to === undefined) return undefined;
    const bare = to.length > 1 ? to.replace(/\/$/, '') : to;
    const file =
      this.files.get(to) ?? this.files.get(`${bare}.html`) ?? this.files.get(`${bare === '/' ? '' : bare}/index.html`);
    return file === undefined ? undefined : { kind: 'file', file, status: 200 };
  }

  /** The page for missing addresses answers with 404 only. */
  private pageAt(path: string): SiteFile | undefined {
    return path === '/404.html' ? undefined : this.files.get(path);
  }

  /** A rewrite leads to a file, or changes the path that the server gets. */
  private forServer(path: string, facts: RequestFacts): Resolution {
    const target = this.hasRules ? this.routes.targetOf(path, facts) : undefined;
    if (target === undefined) return NONE;
    const [to = '', query] = target.split('?', 2);
    const file = facts.isRead ? this.files.get(decodedPath(to)) : undefined;
    if (file !== undefined) return { kind: 'file', file, status: 200 };
    const more = [query, facts.query.slice(1)].filter((each) => each !== undefined && each !== '').join('&');
    return { kind: 'none', target: more === '' ? to : `${to}?${more}` };
  }

  /** Paths with an extension are files, and what a script asks for is data: both get 404 when they are missing. */
  private missing(path: string, facts: RequestFacts): Resolution {
    const isPage = !path.slice(path.lastIndexOf('/')).includes('.');
    if (this.fallback !== undefined && isPage && facts.isNavigation)
      return { kind: 'file', file: this.fallback, status: 200 };
    return this.notFound === undefined ? NONE : { kind: 'file', file: this.notFound, status: 404 };
  }

  private mount(directory: string, prefix: string, immutable: boolean): void {
    const below = directory === '' ? '' : `${directory}/`;
    for (const [path, file] of Object.entries(this.manifest.files)) {
      if (!path.startsWith(below)) continue;
      const at = `${prefix}/${path.slice(below.length)}`;
      if (this.files.has(at) || isHidden(at)) continue;
      this.files.set(at, new SiteFile(file, contentTypeOf(path), immutable || (BUNDLED_PLACE.test(at) && hasHash(at))));
    }
  }

  private servedAs(path: string): SiteFile | undefined {
    const file = Object.hasOwn(this.manifest.files, path) ? this.manifest.files[path] : undefined;
    return file === undefined ? undefined : new SiteFile(file, contentTypeOf(path), false);
  }
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Recognizes names such as `app.3f2a9c1d.js` and `app-3f2a9c1d.js`. It reads from the end, each part once, because a
 * build chooses its names.
 */
function hasHash(path: string): boolean {
  const dot = path.lastIndexOf('.');
  if (dot < 0 || !HASHED_TYPES.has(path.slice(dot + 1))) return false;
  let start = dot;
  while (start > 0 && WORD.test(path[start - 1]!)) start--;
  const run = path.slice(start, dot);
  // The part after a dot counts completely, otherwise the part after the first hyphen. Any other part is shorter.
  return HASH.test(path[start - 1] === '.' ? run : run.slice(run.indexOf('-') + 1 || run.length));
}

/** Files such as `.git` and `.env`, which lie next to the pages of a site without a build. */
const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.') && part !== WELL_KNOWN);

const moved = (path: string, query: string): Resolution => ({
  kind: 'redirect',
  status: 308,
  location:
    path
      .replace(/^\/{2,}/, '/')
      .split('/')
      .map(encodeURIComponent)
      .join('/') + query,
});
