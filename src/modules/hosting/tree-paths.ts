const LONGEST_BYTES = 1_024;
const UP = '../';

/** The reason why a tree cannot have an entry. */
export type TreeFault = 'path_not_safe' | 'path_twice' | 'below_link' | 'target_not_safe';

/**
 * The paths of a tree that comes from a build and is not trusted. Each path occurs once, and nothing lies below a link.
 * So a link always lies in a real directory, and the leading `..` of its target lead where the text says. A target has
 * no other `..`, which is why no chain of links leaves the tree, whatever the links in between are.
 */
export class TreePaths {
  private readonly files = new Set<string>();
  private readonly links = new Set<string>();
  private readonly directories = new Set<string>();

  /** Returns null when the file was added. */
  addFile(path: string): TreeFault | null {
    const fault = this.faultOf(path);
    if (fault === null) this.add(this.files, path);
    return fault;
  }

  /** Returns null when the link was added. */
  addLink(path: string, target: string): TreeFault | null {
    const fault = this.faultOf(path) ?? (linkedPath(path, target) === undefined ? 'target_not_safe' : null);
    if (fault === null) this.add(this.links, path);
    return fault;
  }

  private faultOf(path: string): TreeFault | null {
    if (!isFilePath(path)) return 'path_not_safe';
    if (this.files.has(path) || this.links.has(path) || this.directories.has(path)) return 'path_twice';
    for (const directory of directoriesAbove(path)) {
      if (this.links.has(directory)) return 'below_link';
      if (this.files.has(directory)) return 'path_twice';
      // Everything above a known directory was checked when the directory was added.
      if (this.directories.has(directory)) break;
    }
    return null;
  }

  private add(to: Set<string>, path: string): void {
    to.add(path);
    for (const directory of directoriesAbove(path)) {
      if (this.directories.has(directory)) break;
      this.directories.add(directory);
    }
  }
}

/** The innermost directory comes first. */
function* directoriesAbove(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end);
}

/**
 * True when a tree may hold this path: plain names separated by `/`. Collected files are untrusted, so a path must not
 * leave the tree, and must not be ambiguous.
 */
export function isFilePath(path: string): boolean {
  if (path.length === 0 || Buffer.byteLength(path) > LONGEST_BYTES || /[\\\p{Cc}\p{Cs}]/u.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/**
 * Returns the path that a link leads to, which is empty for the tree itself, or undefined when the target may not be
 * kept: it has to be relative, all its `..` have to come first, and it must not lead out of the tree.
 */
export function linkedPath(path: string, target: string): string | undefined {
  const above = path.split('/').slice(0, -1);
  if (target === '.') return above.join('/');
  if (target === '' || Buffer.byteLength(target) > LONGEST_BYTES) return undefined;
  let rest = target === '..' || target.endsWith('/..') ? `${target}/` : target;
  while (rest.startsWith(UP)) {
    if (above.pop() === undefined) return undefined;
    rest = rest.slice(UP.length);
  }
  if (rest === '') return above.join('/');
  return isFilePath(rest) ? [...above, rest].join('/') : undefined;
}
