/** A file of an upload, as it is announced. */
export interface AnnouncedFile {
  /** The path from the root of the upload, separated by `/`. */
  readonly path: string;
  /** The hash of the content, in hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
  readonly executable: boolean;
}

export const MAX_FILES = 20_000;
export const MAX_PATH_BYTES = 1_024;
const MAX_NAME_BYTES = 255;
const HASH = /^[0-9a-f]{64}$/;
/** Some file systems ignore these characters, so that a name with them could stand for `.git`. */
const INVISIBLE = /\p{Cf}/gu;
/** The names that some system takes for the directory of git: short names and streams of Windows among them. */
const GIT_DIRECTORY = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i;

/** Returns what is wrong with the path; undefined for a path that git accepts on every system. */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  if (/[\\\p{Cc}\p{Cs}]/u.test(path)) return 'contains a control character, a backslash or invalid text';
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..') return 'is not a plain path: it has an empty part, "." or ".."';
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `has a part that is longer than ${MAX_NAME_BYTES} bytes`;
    if (GIT_DIRECTORY.test(name.replace(INVISIBLE, ''))) return 'leads into a directory of git';
  }
  return undefined;
}

/** Returns what is wrong with the list of files; undefined when nothing is. It takes time in proportion to the list. */
export function filesFault(files: unknown): string | undefined {
  if (!Array.isArray(files)) return 'must be a list';
  if (files.length === 0) return 'must name at least one file';
  if (files.length > MAX_FILES) return `must name at most ${MAX_FILES} files`;
  const sizes = new Map<string, number>();
  for (const [index, file] of files.entries()) {
    const fault = fileFault(file) ?? differentSize(sizes, file as AnnouncedFile);
    if (fault !== undefined) return `has an invalid file at index ${index}: ${fault}`;
  }
  return overlap((files as AnnouncedFile[]).map(({ path }) => path));
}

function fileFault(file: unknown): string | undefined {
  if (typeof file !== 'object' || file === null) return 'it is not an object';
  const { path, sha256, bytes, executable = false } = file as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') return 'path must be text';
  const fault = pathFault(path);
  if (fault !== undefined) return `path ${fault}`;
  if (typeof sha256 !== 'string' || !HASH.test(sha256)) return 'sha256 must have 64 digits of 0-9 and a-f';
  if (!Number.isSafeInteger(bytes) || (bytes as number) < 0) return 'bytes must be a whole number of at least 0';
  if (typeof executable !== 'boolean') return 'executable must be true or false';
  return undefined;
}

function differentSize(sizes: Map<string, number>, { sha256, bytes }: AnnouncedFile): string | undefined {
  const known = sizes.get(sha256);
  sizes.set(sha256, bytes);
  return known === undefined || known === bytes ? undefined : 'its sha256 is announced with another size as well';
}

/** A path can be a file once, and not a directory of other files. */
function overlap(paths: readonly string[]): string | undefined {
  const files = new Set(paths);
  if (files.size < paths.length) return 'names a path twice';
  for (const path of paths) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      if (files.has(path.slice(0, end))) return 'names a path as a file and as a directory';
  }
  return undefined;
}

/** Keeps the fields that are announced, and nothing else that the caller has sent. */
export const announcedFile = ({ path, sha256, bytes, executable }: Partial<AnnouncedFile>): AnnouncedFile => ({
  path: path!,
  sha256: sha256!,
  bytes: bytes!,
  executable: executable === true,
});

/** The sizes of the different contents by hash. Files with the same content are stored once. */
export const contentsOf = (files: readonly AnnouncedFile[]): ReadonlyMap<string, number> =>
  new Map(files.map(({ sha256, bytes }) => [sha256, bytes]));

/** What one content takes beside its bytes: its row, and its entries in the files of git. Empty files take this too. */
export const CONTENT_ENTRY_BYTES = 256;

/** What a file of a list takes beside its path, in the list and in the trees of its commit. */
const FILE_ENTRY_BYTES = 128;

/** What the list of an upload takes, as files that are not new have no content to count. */
export const listBytesOf = (files: readonly AnnouncedFile[]): number =>
  sumOf(files.map(({ path }) => Buffer.byteLength(path) + FILE_ENTRY_BYTES));

/** What contents of these sizes take. */
export const storedBytesOf = (sizes: readonly number[]): number => sumOf(sizes) + sizes.length * CONTENT_ENTRY_BYTES;

export const sumOf = (sizes: Iterable<number>): number => [...sizes].reduce((sum, bytes) => sum + bytes, 0);
