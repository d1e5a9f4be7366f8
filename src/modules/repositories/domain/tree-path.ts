const MAX_PATH_BYTES = 1_024;
const MAX_DEPTH = 40;
const MAX_NAME_BYTES = 255;

/** Control characters, and characters that are not seen, which some file systems ignore in names. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/**
 * Names that git, or a file system on which the repository is checked out, takes for its own directory. Submodules are
 * refused as well: their settings name addresses and directories that clones act on.
 */
const OF_GIT = /^(?:\.git[. ]*(?::.*)?|git~\d+|\.gitmodules[. ]*|gitmod~\d+|gi7eba~\d+)$/i;

/** True for the path of a file that may be written: relative, of plain names, and harmless on every file system. */
export function isTreePath(path: string): boolean {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || UNSEEN.test(path) || path.includes('\\')) return false;
  const names = path.split('/');
  return names.length <= MAX_DEPTH && names.every(isTreeName);
}

const isTreeName = (name: string): boolean =>
  name !== '' && !/^\.{1,2}$/.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES && !OF_GIT.test(name);

/** True when the paths are distinct and none of them is a directory of another. */
export function areSeparatePaths(paths: readonly string[]): boolean {
  const files = new Set(paths);
  return (
    files.size === paths.length &&
    paths.every((path) => {
      for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
        if (files.has(path.slice(0, at))) return false;
      return true;
    })
  );
}
