/** What may lie beside the code of one run. */
export const MAX_FILES = 20;
export const MAX_FILES_BYTES = 262_144;

const MAX_PATH_LENGTH = 200;
const MAX_DEPTH = 8;
/**
 * One name: letters of any script and what is common in names of files; no separators, quotes or control characters.
 */
const NAME = /^[\p{L}\p{M}\p{N}._@+()[\] -]{1,100}$/u;
/** What the interpreters write there themselves. */
const TAKEN = new Set(['main.js', 'main.ts', 'main.py', 'main.out.js', 'stdin']);

/** Whether a file can have this path: relative, below the working directory, and of plain names. */
export function isFilePath(path: unknown): path is string {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH) return false;
  const names = path.split('/');
  return names.length <= MAX_DEPTH && !TAKEN.has(names[0]!) && names.every(isName);
}

/** A name of nothing but dots and spaces is, or looks like, a way upwards. */
const isName = (name: string): boolean => NAME.test(name) && !/^[. ]+$/.test(name);

/** Whether all can lie beside each other: no two of one path, and none where another needs a directory. */
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
