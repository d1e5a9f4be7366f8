import { BuildFailed } from '../build-failed.js';
import { moreAt } from './more-at.js';

/** Refuses a root directory that the repository does not have, and names those that it has. */
export function rootDirectoryNotFound(directory: string, found: readonly string[]): BuildFailed {
  const names = found.slice(0, 10).join(', ');
  return new BuildFailed(
    'root_directory_not_found',
    `The repository has no directory ${directory}. ` +
      (names === '' ? 'It has no directories at all. ' : `Its top level has: ${names}. `) +
      `Change the root directory of the project.${moreAt('root-directory')}`,
  );
}
