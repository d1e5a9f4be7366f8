import { trimEnd } from '../../../platform/text/trim.js';

const MAX_BYTES = 1_024;

/**
 * Whether a path is one that a manifest may hold: plain names with `/` between them. What was collected is hostile; a
 * path that leaves the tree, or that two readers would read differently, is no file of a deploy.
 */
export function isFilePath(path: string): boolean {
  if (path.length === 0 || Buffer.byteLength(path) > MAX_BYTES || /[\\\p{Cc}\p{Cs}]/u.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** `dist/public`; empty, or a dot, for the tree itself. Undefined where it is neither. */
export function directoryOf(text: string): string | undefined {
  const directory = trimEnd(text.replace(/^\.?\/+/, ''), '/').replace(/^\.$/, '');
  return directory === '' || isFilePath(directory) ? directory : undefined;
}
