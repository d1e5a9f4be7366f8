import { existsSync } from 'node:fs';

import { standardLibraryOf, systemPython } from '../../../platform/python/system-python.js';
import { besideThis, Interpreter, type InterpreterTemplate, type RequiredFile, SYSTEM_FILES } from './interpreter.js';

const BOOTSTRAP = '/runtime/python-bootstrap.py';
const TEMPLATE = '/runtime/python-template.py';
const ZONES = '/usr/share/zoneinfo';
const MISSING = 'the package python3 (/usr/bin/python3 was not found)';

export class PythonInterpreter extends Interpreter {
  readonly languages = ['python'] as const;
  readonly name = 'python';
  readonly versionCode = 'import sys; print(sys.version.split()[0])';
  readonly environment = { HOME: '/tmp', LANG: 'C.UTF-8' };
  readonly idleDataBytes = 16 * 1024 * 1024;

  readonly requires: readonly RequiredFile[];
  override readonly template: InterpreterTemplate;
  private readonly program: string;

  constructor(paths?: readonly string[]) {
    super();
    // The path inside is the same, because Python finds its library relative to its own path.
    this.program = systemPython(paths);
    this.requires = [
      { from: this.program, to: this.program, kind: 'file', missing: MISSING },
      ...standardLibrary(this.program).map(
        (path) => ({ from: path, to: path, kind: 'directory', missing: MISSING }) as const,
      ),
      ...(existsSync(ZONES)
        ? [{ from: ZONES, to: ZONES, kind: 'directory', missing: 'the package tzdata' } as const]
        : []),
      besideThis('python-bootstrap.py', BOOTSTRAP),
      ...SYSTEM_FILES,
    ];
    this.template = {
      command: this.commandOf(TEMPLATE),
      requires: [besideThis('python-template.py', TEMPLATE)],
    };
  }

  command(): readonly string[] {
    return this.commandOf(BOOTSTRAP);
  }

  /** The program with a script of the platform. */
  commandOf(script: string): readonly string[] {
    // The flags mean: isolated, without site-packages, without writing bytecode.
    return [this.program, '-I', '-S', '-B', '-X', 'utf8', script];
  }
}

/** An empty path makes the probe report that Python is missing. */
function standardLibrary(program: string): string[] {
  const found = standardLibraryOf(program);
  return found.length > 0 ? found : [''];
}
