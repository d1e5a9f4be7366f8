import { trimEnd } from '../../../platform/text/trim.js';
import { isFilePath } from '../tree-paths.js';

/** Normalizes a directory such as `dist/public`. The tree itself becomes empty, and an invalid path undefined. */
export function directoryOf(text: string): string | undefined {
  const directory = trimEnd(text.replace(/^\.?\/+/, ''), '/').replace(/^\.$/, '');
  return directory === '' || isFilePath(directory) ? directory : undefined;
}
