import type { Manifest } from '../ingest/manifest.js';
import { directoryOf } from '../ingest/file-paths.js';

const MEBIBYTE = 1_048_576;
const CACHE_BYTES = 64 * MEBIBYTE;
/** What pages that are generated again may add to those of the build. */
const PAGES_BYTES = 16 * MEBIBYTE;
/** Pages of a build are copied into memory at each start. Where there are more, they stay as they were built. */
const MOST_PAGES_BYTES = 32 * MEBIBYTE;
const WORKING_BYTES = 64 * MEBIBYTE;
/** Each name of the deploy in the working directory is a mount of its own. */
const MOST_NAMES = 200;
/** Directories in which servers change what the deploy brought, and databases in a file. They are copied. */
const DATA_DIRECTORIES = ['data', 'database', 'db', 'instance', 'logs', 'prisma', 'storage', 'tmp', 'uploads', 'var'];
const DATABASE_FILE = /\.(?:db3?|sqlite3?)$/i;
const MOST_DATA_BYTES = 16 * MEBIBYTE;
/** Memory is given out in pages of this size. */
const BLOCK_BYTES = 4_096;

/** A directory of a server, relative to its tree, that it may write to. It is in memory. */
export interface WritablePlace {
  readonly path: string;
  readonly bytes: number;
  /** True when the files of the deploy are copied into it, so that they can be replaced. */
  readonly isCopied: boolean;
}

/** The directory that a server starts in. It may create files there, beside those of the deploy. */
export interface WorkingDirectory {
  /** Relative to the tree. The tree itself is empty. */
  readonly path: string;
  readonly bytes: number;
  /** Files and directories of the deploy, relative to the tree, which stay read-only. */
  readonly mounted: readonly string[];
  /** Databases of the deploy, which are copied so that they can be changed. */
  readonly copied: readonly string[];
  /** Links of the deploy, with their targets. */
  readonly links: readonly (readonly [path: string, target: string])[];
}

/**
 * The directories that a server may write to: `.cache` for everybody, those for data in its working directory, and for
 * Next.js its cache of pictures and fetched data, and the pages that it generates again. Files of the deploy are never
 * hidden: where it has a cache of its own, nothing can be written.
 */
export function writablePlaces(manifest: Manifest): WritablePlace[] {
  const places: WritablePlace[] = [];
  const sizes = new Sizes(manifest);
  let dataBytes = 0;
  for (const path of namesBeside(manifest)) {
    if (!DATA_DIRECTORIES.includes(path.slice(path.lastIndexOf('/') + 1)) || sizes.isFile(path)) continue;
    const bytes = sizes.under(path) ?? Infinity;
    if (dataBytes + bytes > MOST_DATA_BYTES) continue;
    dataBytes += bytes;
    places.push({ path, bytes: bytes + WORKING_BYTES, isCopied: true });
  }
  const addCache = (path: string): void => {
    if (sizes.under(path) === undefined) places.push({ path, bytes: CACHE_BYTES, isCopied: false });
  };
  addCache('.cache');
  if (manifest.framework !== 'nextjs' || manifest.server === null) return places;
  const directory = directoryOf(manifest.server.directory) ?? '';
  const output = directory === '' ? '.next' : `${directory}/.next`;
  if (sizes.under(`${output}/server`) === undefined) return places;
  addCache(`${output}/cache`);
  for (const pages of ['app', 'pages']) {
    const path = `${output}/server/${pages}`;
    const bytes = sizes.under(path);
    if (bytes !== undefined && bytes <= MOST_PAGES_BYTES)
      places.push({ path, bytes: bytes + PAGES_BYTES, isCopied: true });
  }
  return places;
}

/** Null when the working directory has so many names that it stays read-only. */
export function workingDirectory(manifest: Manifest): WorkingDirectory | null {
  if (manifest.server === null || manifest.server.image !== undefined) return null;
  const path = directoryOf(manifest.server.directory) ?? '';
  const { files, links = {} } = manifest;
  if (Object.keys(links).some((link) => path === link || path.startsWith(`${link}/`))) return null;
  const names = namesBeside(manifest);
  if (names.size > MOST_NAMES) return null;
  const writable = new Set(writablePlaces(manifest).map((place) => place.path));
  const all = [...names].filter((name) => !writable.has(name));
  const isDatabase = (name: string): boolean =>
    DATABASE_FILE.test(name) && Object.hasOwn(files, name) && files[name]!.bytes <= MOST_DATA_BYTES;
  return {
    path,
    bytes: WORKING_BYTES,
    mounted: all.filter((name) => !isDatabase(name) && !Object.hasOwn(links, name)),
    copied: all.filter(isDatabase),
    links: all.filter((name) => Object.hasOwn(links, name)).map((name) => [name, links[name]!]),
  };
}

/** The files, directories and links of the deploy that lie directly in the working directory, relative to the tree. */
function namesBeside({ files, links = {}, server }: Manifest): Set<string> {
  const path = directoryOf(server?.directory ?? '') ?? '';
  const start = path === '' ? 0 : path.length + 1;
  const names = new Set<string>();
  if (server === null) return names;
  for (const each of [...Object.keys(files), ...Object.keys(links)]) {
    if (start > 0 && !each.startsWith(`${path}/`)) continue;
    const end = each.indexOf('/', start);
    names.add(end === -1 ? each : each.slice(0, end));
  }
  return names;
}

/** Sizes of the directories of a tree. */
class Sizes {
  constructor(private readonly manifest: Manifest) {}

  isFile(path: string): boolean {
    return Object.hasOwn(this.manifest.files, path);
  }

  /** Returns undefined when nothing has this path. A link counts as more than any directory, and is never copied. */
  under(path: string): number | undefined {
    const { files, links = {} } = this.manifest;
    const within = (each: string): boolean => each === path || each.startsWith(`${path}/`);
    if (Object.keys(links).some((link) => within(link) || path.startsWith(`${link}/`))) return Infinity;
    if (Object.hasOwn(files, path)) return Infinity;
    let bytes: number | undefined;
    for (const [each, file] of Object.entries(files))
      if (within(each)) bytes = (bytes ?? 0) + Math.ceil((file.bytes + 1) / BLOCK_BYTES) * BLOCK_BYTES;
    return bytes;
  }
}
