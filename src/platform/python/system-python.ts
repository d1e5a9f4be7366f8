import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The full paths of the system's Python. `python3` on the PATH may be a shim in a home directory. */
const PATHS = ['/usr/bin/python3', '/usr/local/bin/python3'] as const;

/** Returns the program without its links, or an empty text when there is none. */
export function systemPython(paths: readonly string[] = PATHS): string {
  const found = paths.find((path) => existsSync(path));
  return found === undefined ? '' : realpathSync(found);
}

/** Returns `<prefix>/lib/python3.11` for `<prefix>/bin/python3.11`. Fedora uses `lib64`. */
export function standardLibraryOf(program: string): string[] {
  const prefix = dirname(dirname(program));
  return ['lib', 'lib64']
    .map((lib) => join(prefix, lib, basename(program)))
    .filter((path) => existsSync(join(path, 'os.py')));
}

/** Returns where this Python looks for packages that the operator has installed beside those of the system. */
export function sitePackagesOf(program: string): string {
  const [own] = standardLibraryOf(program).map((path) => join(path, 'site-packages'));
  // Debian has moved it.
  return own !== undefined && existsSync(own) ? own : `/usr/local/lib/${basename(program)}/dist-packages`;
}

/** Returns the packages that the system has installed, such as pip: `/usr/lib/python3` on Debian. */
export function systemPackagesOf(program: string): string[] {
  const prefix = dirname(dirname(program));
  return [join(prefix, 'lib/python3')].filter((path) => existsSync(path));
}
