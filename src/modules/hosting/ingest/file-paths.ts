import { trimEnd } from '../../../platform/text/trim.js';

const MAX_BYTES = 1_024;

/**
 * True when a manifest may hold this path: plain names separated by `/`. Collected files are untrusted, so a path must
 * not leave the tree, and must not be ambiguous.
 */
export function isFilePath(path: string): boolean {
  if (path.length === 0 || Buffer.byteLength(path) > MAX_BYTES || /[\\\p{Cc}\p{Cs}]/u.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Normalizes a directory such as `dist/public`. The tree itself becomes empty, and an invalid path undefined. */
export function directoryOf(text: string): string | undefined {
  const directory = trimEnd(text.replace(/^\.?\/+/, ''), '/').replace(/^\.$/, '');
  return directory === '' || isFilePath(directory) ? directory : undefined;
}
