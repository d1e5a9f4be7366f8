import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The release line that comes with the service as a package, for whatever it runs. */
const PACKAGED = '24';

/** The program of a release line of Node on this machine; undefined when there is none. */
export function nodeOf(version: string | null): string | undefined {
  const wanted = version ?? PACKAGED;
  const packaged = packagedNode();
  if (wanted === PACKAGED && packaged !== undefined) return packaged;
  // A manifest that does not care has any.
  return process.versions.node.split('.')[0] === wanted || version === null ? process.execPath : undefined;
}

function packagedNode(): string | undefined {
  try {
    const program = join(dirname(createRequire(__filename).resolve(`node-linux-${process.arch}/package.json`)), 'bin/node');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
