import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Release lines that come with the service as npm packages, the newest first. */
const PACKAGES: Readonly<Record<string, string>> = {
  24: `node-linux-${process.arch}`, 22: `node-22-linux-${process.arch}`, 20: `node-20-linux-${process.arch}`,
};

/** The program of a release line of Node (`22`) on this machine: that of its package, else the one that runs the service; undefined where neither is. */
export function nodeProgram(line: string): string | undefined {
  return packaged(line) ?? (ownLine() === line ? process.execPath : undefined);
}

/** Release lines that there are on this machine, the newest first. Looked up anew each time, for what is missing may be installed under the running service. */
export function nodeLines(): string[] {
  return [...new Set([...Object.keys(PACKAGES), ownLine()])].filter((line) => nodeProgram(line) !== undefined).sort((a, b) => Number(b) - Number(a));
}

const ownLine = (): string => process.versions.node.split('.')[0]!;

function packaged(line: string): string | undefined {
  const name = PACKAGES[line];
  if (name === undefined) return undefined;
  try {
    const program = join(dirname(createRequire(__filename).resolve(`${name}/package.json`)), 'bin/node');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
