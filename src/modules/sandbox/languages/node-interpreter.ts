import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { type Language, type TypeScriptOptions } from '../domain/sandbox-runtime.js';
import { besideThis, Interpreter, type RequiredFile, SYSTEM_FILES } from './interpreter.js';

const MEBIBYTE = 1024 * 1024;

/** The part of a run's memory that is not for V8's heap: the interpreter itself, buffers and stacks. */
const OUTSIDE_HEAP_MEBIBYTES = 64;
const SMALLEST_HEAP_MEBIBYTES = 16;

const PROGRAM = '/runtime/node';
const BOOTSTRAP = '/runtime/node-bootstrap.cjs';
/** The bootstrap writes it. */
const MAIN = '/tmp/main.js';
const TYPESCRIPT = '/runtime/node-typescript.cjs';
const TRANSFORMER = '/runtime/typescript.node';
const TYPE_CHECK = '/runtime/node-type-check.cjs';
const ARTIFACTS = '/runtime/node-artifacts.cjs';
/** Packages find each other as in a project. */
const PACKAGES = '/runtime/node_modules';
const COMPILER = `${PACKAGES}/typescript/lib/typescript.js`;
const TYPES = `${PACKAGES}/@types`;

interface SessionProgram {
  /** Its path inside, as that of the package {@link parser} among the others. */
  readonly script: string;
  readonly parser: string;
  readonly language: Language;
  readonly options: TypeScriptOptions;
}

/**
 * Runs JavaScript and TypeScript with one program, so that one pool serves both. Loading the transformer takes 1.5 ms
 * of the 28 ms that a start takes.
 *
 * Users' code runs on the same pinned Node as the service. TypeScript is transformed inside the sandbox, because oxc
 * overflows its stack on 60,000 nested brackets and crashes the whole process, which must not be the service's.
 */
export class NodeInterpreter extends Interpreter {
  readonly languages = ['javascript', 'typescript'] as const;
  readonly name = 'node';
  readonly versionCode = 'console.log(process.versions.node)';
  readonly environment = { HOME: '/tmp' };
  /** V8 reserves 512 MiB for machine code in one writable mapping; measured 570 MiB in all with Node 24.21. */
  readonly idleDataBytes = 584 * MEBIBYTE;

  readonly requires: readonly RequiredFile[] = requiredFiles();

  command(memoryBytes: number): readonly string[] {
    const parts = [TYPESCRIPT, TRANSFORMER, COMPILER, TYPE_CHECK, TYPES, ARTIFACTS];
    return [...this.programOf(memoryBytes), '--require', BOOTSTRAP, MAIN, ...parts];
  }

  /** The program of a session, which has a script of its own. */
  sessionCommand(memoryBytes: number, { script, parser, language, options }: SessionProgram): readonly string[] {
    const paths = {
      typescript: TYPESCRIPT,
      transformer: TRANSFORMER,
      compiler: COMPILER,
      parser: `${PACKAGES}/${parser}`,
    };
    return [...this.programOf(memoryBytes), script, JSON.stringify({ language, options, ...paths })];
  }

  private programOf(memoryBytes: number): readonly string[] {
    const heap = Math.max(SMALLEST_HEAP_MEBIBYTES, Math.floor(memoryBytes / MEBIBYTE) - OUTSIDE_HEAP_MEBIBYTES);
    // V8 gets one worker thread: the processors are shared with other runs, and each thread slows the start down.
    return [PROGRAM, '--v8-pool-size=1', `--max-old-space-size=${heap}`, '--disable-warning=ExperimentalWarning'];
  }
}

function requiredFiles(): readonly RequiredFile[] {
  const node = `node-linux-${process.arch}`;
  const transformer = `@oxc-transform/binding-linux-${process.arch}-gnu`;
  return [
    {
      from: packageFile(`${node}/package.json`, (manifest) => join(dirname(manifest), 'bin/node')),
      to: PROGRAM,
      kind: 'file',
      missing: `the npm package ${node}`,
    },
    {
      // The binding is a dependency of oxc-transform, so it is resolved from there.
      from: packageFile('oxc-transform/package.json', (manifest) => createRequire(manifest).resolve(transformer)),
      to: TRANSFORMER,
      kind: 'file',
      missing: `the npm package ${transformer}`,
    },
    // It transforms what the other one does not, decorators of ECMAScript, and checks types.
    packageInside('typescript'),
    packageInside('@types/node'),
    // The types of Node use it.
    packageInside('undici-types'),
    besideThis('node-bootstrap.cjs', BOOTSTRAP),
    besideThis('node-typescript.cjs', TYPESCRIPT),
    besideThis('node-type-check.cjs', TYPE_CHECK),
    besideThis('node-artifacts.cjs', ARTIFACTS),
    ...SYSTEM_FILES,
  ];
}

export const packageInside = (name: string): RequiredFile => ({
  from: packageFile(`${name}/package.json`, dirname),
  to: `${PACKAGES}/${name}`,
  kind: 'package',
  missing: `the npm package ${name}`,
});

/** Returns an empty path, which no file has, when the package is not installed. */
function packageFile(manifest: string, find: (manifest: string) => string): string {
  try {
    return find(createRequire(__filename).resolve(manifest));
  } catch {
    return '';
  }
}
