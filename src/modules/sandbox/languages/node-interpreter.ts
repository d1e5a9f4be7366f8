import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { Interpreter, type RequiredFile } from './interpreter.js';

const MEBIBYTE = 1024 * 1024;

/** Of the memory of a run, what V8's heap may not have: the interpreter's own, buffers, stacks. */
const OUTSIDE_HEAP_MEBIBYTES = 64;
const SMALLEST_HEAP_MEBIBYTES = 16;

const PROGRAM = '/runtime/node';
const BOOTSTRAP = '/runtime/node-bootstrap.cjs';
const BINDING = '/runtime/typescript.node';

/** The Node for users' code comes from npm, pinned, and is another one than the service runs on. */
abstract class NodeInterpreter extends Interpreter {
  readonly name = 'node';
  readonly versionCode = 'console.log(process.versions.node)';
  readonly environment = { HOME: '/tmp' };
  /** V8 reserves 512 MiB for machine code in one writable mapping; measured 562 MiB in all with Node 24.21. */
  readonly idleDataBytes = 576 * MEBIBYTE;

  get requires(): readonly RequiredFile[] {
    return [
      {
        from: packageFile(`node-linux-${process.arch}/package.json`, (manifest) => join(dirname(manifest), 'bin/node')),
        to: PROGRAM,
        kind: 'file',
        missing: `the npm package node-linux-${process.arch}`,
      },
      { from: join(__dirname, 'node-bootstrap.cjs'), to: BOOTSTRAP, kind: 'file', missing: 'node-bootstrap.cjs (npm run build)' },
    ];
  }

  command(memoryBytes: number): readonly string[] {
    const heap = Math.max(SMALLEST_HEAP_MEBIBYTES, Math.floor(memoryBytes / MEBIBYTE) - OUTSIDE_HEAP_MEBIBYTES);
    return [PROGRAM, `--max-old-space-size=${heap}`, '--disable-warning=ExperimentalWarning', BOOTSTRAP];
  }
}

export class JavaScriptInterpreter extends NodeInterpreter {
  readonly language = 'javascript';
}

/**
 * TypeScript is transformed inside the sandbox: oxc overflows its stack on 60,000 nested brackets and takes the whole
 * process with it, which must not be the service's.
 */
export class TypeScriptInterpreter extends NodeInterpreter {
  readonly language = 'typescript';

  override get requires(): readonly RequiredFile[] {
    const name = `@oxc-transform/binding-linux-${process.arch}-gnu`;
    // It is a dependency of oxc-transform, not of ours, so it is looked for from there.
    const binding = packageFile('oxc-transform/package.json', (manifest) => createRequire(manifest).resolve(name));
    return [...super.requires, { from: binding, to: BINDING, kind: 'file', missing: `the npm package ${name}` }];
  }

  override command(memoryBytes: number): readonly string[] {
    const [program = PROGRAM, ...rest] = super.command(memoryBytes);
    return [program, '--enable-source-maps', ...rest, BINDING];
  }
}

/** An empty path, which no file has, when the package is not installed. */
function packageFile(manifest: string, find: (manifest: string) => string): string {
  try {
    return find(createRequire(__filename).resolve(manifest));
  } catch {
    return '';
  }
}
