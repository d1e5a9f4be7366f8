/** Limits of the files that one run may bring beside its code. */
export const MAX_FILES = 20;
export const MAX_FILES_BYTES = 262_144;

const MAX_PATH_LENGTH = 200;
const MAX_DEPTH = 8;
/**
 * A single name may hold letters of any script and common punctuation, but no separators, quotes or control characters.
 */
const NAME = /^[\p{L}\p{M}\p{N}._@+()[\] -]{1,100}$/u;
/** The interpreters write these files themselves. */
const RESERVED = new Set(['main.js', 'main.ts', 'main.py', 'main.out.js', 'stdin']);

/** True when the path is relative, stays below the working directory, and consists of plain names. */
export function isFilePath(path: unknown): path is string {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH) return false;
  const names = path.split('/');
  return names.length <= MAX_DEPTH && !RESERVED.has(names[0]!) && names.every(isName);
}

/** A name that consists only of dots and spaces is, or looks like, a parent directory. */
const isName = (name: string): boolean => NAME.test(name) && !/^[. ]+$/.test(name);

/** True when the paths are distinct and none of them is a directory of another. */
export function canCoexist(paths: readonly string[]): boolean {
  const files = new Set(paths);
  return (
    files.size === paths.length &&
    paths.every((path) => directoriesOf(path).every((directory) => !files.has(directory)))
  );
}

const directoriesOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, names) => names.slice(0, index + 1).join('/'));
