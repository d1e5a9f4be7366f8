import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of `package.json`: above `src` in the tests, above `dist/src` in the build. */
export const PROJECT_ROOT = projectRoot(__dirname);

/** The version of this build, from `package.json`. */
export const VERSION = (JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string })
  .version;

function projectRoot(from: string): string {
  try {
    readFileSync(join(from, 'package.json'));
    return from;
  } catch {
    return projectRoot(dirname(from));
  }
}
