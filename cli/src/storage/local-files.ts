import { readdir } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';

/** Yields the files below a directory with their keys. Links and special files are left out. */
export async function* filesBelow(
  directory: string,
  prefix: string,
  onSkipped: (path: string) => void,
): AsyncGenerator<{ readonly file: string; readonly key: string }, void, undefined> {
  const entries = await readdir(directory, { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const file = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(file, `${prefix}${entry.name}/`, onSkipped);
    else if (entry.isFile()) yield { file, key: `${prefix}${entry.name}` };
    else onSkipped(file);
  }
}

/**
 * Returns where an object of a folder is written, or undefined for a key that no file system can hold, or that leads
 * out of the directory: others may have chosen it.
 */
export function fileFor(directory: string, key: string): string | undefined {
  const parts = key.split('/');
  const isUnsafe = parts.some((part) => part === '' || part === '.' || part === '..' || /[\0\\]/.test(part));
  if (isUnsafe || key.length > 4_000 || parts.some((part) => Buffer.byteLength(part) > 240)) return undefined;
  const root = normalize(directory.endsWith(sep) ? directory : `${directory}${sep}`);
  const file = join(root, key);
  return root === `.${sep}` || file.startsWith(root) ? file : undefined;
}
