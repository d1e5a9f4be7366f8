import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { Interpreter, type RequiredFile } from './interpreter.js';

/** The full paths of the system's Python. `python3` on the PATH may be a shim in a home directory. */
const PATHS = ['/usr/bin/python3', '/usr/local/bin/python3'] as const;

const BOOTSTRAP = '/runtime/python-bootstrap.py';
const ZONES = '/usr/share/zoneinfo';
const MISSING = 'the package python3 (/usr/bin/python3 was not found)';

export class PythonInterpreter extends Interpreter {
  readonly languages = ['python'] as const;
  readonly name = 'python';
  readonly versionCode = 'import sys; print(sys.version.split()[0])';
  readonly environment = { HOME: '/tmp', LANG: 'C.UTF-8' };
  readonly idleDataBytes = 16 * 1024 * 1024;

  readonly requires: readonly RequiredFile[];
  private readonly program: string;

  constructor(paths: readonly string[] = PATHS) {
    super();
    // The path inside is the same, because Python finds its library relative to its own path.
    this.program = resolve(paths);
    this.requires = [
      { from: this.program, to: this.program, kind: 'file', missing: MISSING },
      ...standardLibrary(this.program).map(
        (path) => ({ from: path, to: path, kind: 'directory', missing: MISSING }) as const,
      ),
      ...(existsSync(ZONES)
        ? [{ from: ZONES, to: ZONES, kind: 'directory', missing: 'the package tzdata' } as const]
        : []),
      {
        from: join(__dirname, 'python-bootstrap.py'),
        to: BOOTSTRAP,
        kind: 'file',
        missing: 'python-bootstrap.py (npm run build)',
      },
    ];
  }

  command(): readonly string[] {
    // The flags mean: isolated, without site-packages, without writing bytecode.
    return [this.program, '-I', '-S', '-B', '-X', 'utf8', BOOTSTRAP];
  }
}

function resolve(paths: readonly string[]): string {
  const found = paths.find((path) => existsSync(path));
  return found === undefined ? '' : realpathSync(found);
}

/** Returns `<prefix>/lib/python3.11` for `<prefix>/bin/python3.11`. Fedora uses `lib64`. */
function standardLibrary(program: string): string[] {
  const prefix = dirname(dirname(program));
  const found = ['lib', 'lib64']
    .map((lib) => join(prefix, lib, basename(program)))
    .filter((path) => existsSync(join(path, 'os.py')));
  return found.length > 0 ? found : [''];
}
