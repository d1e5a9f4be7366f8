import type { Manifest } from '../ingest/manifest.js';
import { directoryOf } from '../ingest/file-paths.js';

const MEBIBYTE = 1_048_576;
const CACHE_BYTES = 64 * MEBIBYTE;
/** What pages that are generated again may add to those of the build. */
const PAGES_BYTES = 16 * MEBIBYTE;
/** Pages of a build are copied into memory at each start. Where there are more, they stay as they were built. */
const MOST_PAGES_BYTES = 32 * MEBIBYTE;
/** Memory is given out in pages of this size. */
const BLOCK_BYTES = 4_096;

/** A directory of a server, relative to its tree, that it may write to. It is in memory. */
export interface WritablePlace {
  readonly path: string;
  readonly bytes: number;
  /** True when the files of the deploy are copied into it, so that they can be replaced. */
  readonly isCopied: boolean;
}

/**
 * The directories that a server may write to: `.cache` for everybody, and for Next.js its cache of pictures and fetched
 * data, and the pages that it generates again. Files of the deploy are never hidden: where it has a cache of its own,
 * nothing can be written.
 */
export function writablePlaces(manifest: Manifest): WritablePlace[] {
  const places: WritablePlace[] = [];
  const sizes = new Sizes(manifest);
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

/** Sizes of the directories of a tree. */
class Sizes {
  constructor(private readonly manifest: Manifest) {}

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
