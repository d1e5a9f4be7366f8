import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const USUAL_PLACES = ['/usr/lib/node_modules/npm', '/usr/local/lib/node_modules/npm', '/usr/share/nodejs/npm'];

/**
 * Returns the directory of npm on this machine: of the npm that started the service, else of the one in PATH; undefined
 * when there is none. The pinned Node has no npm. Version managers put a wrapper into PATH, so npm's own variable
 * (`npm_execpath`) takes precedence.
 */
export async function npmPackage(): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'echo "$npm_execpath"; command -v npm || true']);
  const named = stdout.split('\n').filter((line) => line.startsWith('/'));
  const programs = await Promise.all(named.map((line) => realpath(line).catch(() => '')));
  const places = programs.filter((path) => path.endsWith('/bin/npm-cli.js')).map((path) => dirname(dirname(path)));
  return [...places, ...USUAL_PLACES].find((place) => existsSync(join(place, 'bin/npm-cli.js')));
}
