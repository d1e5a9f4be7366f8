import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

/** The code block of the README below `<!-- ci: NAME -->`. @throws {Error} when there is none. */
export function readmeBlock(name: string): string {
  const readme = readFileSync(join(PROJECT_ROOT, 'README.md'), 'utf8');
  const found = new RegExp(`<!-- ci: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (found === undefined) throw new Error(`The README has no block "${name}".`);
  return found;
}
