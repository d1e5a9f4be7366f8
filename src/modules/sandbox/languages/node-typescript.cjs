'use strict';
// Runs inside the sandbox. Turns TypeScript into JavaScript that Node runs, and maps positions back.

const fs = require('node:fs');
const Module = require('node:module');
const { fileURLToPath } = require('node:url');
const vm = require('node:vm');

const MAIN = '/tmp/main.ts';
// The name differs from the user's own file, because a position in the compiled code would mislead.
const COMPILED = '/tmp/main.out.js';
const TYPESCRIPT = /\.[cm]?tsx?$/;
/** Where the transformer leaves decorators and `accessor`, because it does not transform those of ECMAScript. */
const STANDARD_DECORATORS = /(?:^|[=(,{])\s*(?:export (?:default )?)?@[\w$(]|^\s*(?:static )?accessor [\w$#"'[]/m;
const JSX_RUNTIMES = { react: 'classic', 'react-jsx': 'automatic' };

/** The helpers of `experimentalDecorators`, on one line. The transformer expects them under this name. */
const LEGACY_HELPERS = `const babelHelpers = {
  decorate(decorators, target, key, descriptor) {
    const isMember = arguments.length > 2;
    let result = !isMember ? target : descriptor === null ? Object.getOwnPropertyDescriptor(target, key) : descriptor;
    for (const decorate of decorators.toReversed())
      result = (isMember ? decorate(target, key, result) : decorate(result)) || result;
    if (isMember && result) Object.defineProperty(target, key, result);
    return result;
  },
  decorateParam: (index, decorate) => (target, key) => decorate(target, key, index),
};`.replace(/\n\s*/g, ' ');

/** `import x = require()` in an ES module, which has no `require` of its own. */
const IMPORT_REQUIRE = /^\s*(?:export\s+)?import\s+[\w$]+\s*=\s*require\s*\(/m;
const MODULE = /^\s*(?:import\b(?!\s*\()|export\b)/m;
const CREATE_REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** A syntax error, in the lines and columns of the file that its author wrote. Both count from 1. */
class SourceFault extends SyntaxError {
  constructor({ path, source, message, line, column }) {
    super(message);
    const shown = source.split('\n')[line - 1] ?? '';
    const stack = `${path}:${line}\n${shown}\n${' '.repeat(column - 1)}^\n\nSyntaxError: ${message}`;
    // In the program itself. The message names any other file.
    const position = path === MAIN ? { line, column } : {};
    for (const [name, value] of Object.entries({ position, stack }))
      Object.defineProperty(this, name, { value, enumerable: false });
  }
}

/** Transforms the files of one run. */
class TypeScript {
  constructor({ transformer, compiler }) {
    this.transformer = require(transformer);
    this.compiler = compiler;
    this.options = {};
    /** The program, for positions in it. */
    this.main = null;
    /** True when the program was read as TSX. */
    this.hasJsx = false;
  }

  /** Does what is slow the first time. */
  warmUp() {
    this.transformer.transformSync('warm.ts', 'enum Warm { Up }', { lang: 'ts', sourcemap: true });
  }

  /** Transforms the program. @throws {SourceFault} */
  transformMain(source) {
    this.main = { source, ...this.transform(MAIN, source) };
    return this.main.withMap;
  }

  /** Checks the types of the program, once it is transformed, and of what it imports. @throws {TypeFaults} */
  checkTypes({ checker, libraries }) {
    require(checker).checkTypes({
      compiler: this.compiler,
      path: this.hasJsx ? `${MAIN}x` : MAIN,
      source: this.main.source,
      experimentalDecorators: this.options.experimental_decorators ?? false,
      libraries,
    });
  }

  /**
   * Lets the program import TypeScript files beside it as `./lib.ts`, `./lib.js` or `./lib`. Node's own type stripping
   * does not support enums.
   */
  importFiles() {
    Module.registerHooks({
      resolve(specifier, context, next) {
        try {
          return next(specifier, context);
        } catch (error) {
          for (const other of isRelative(specifier) ? otherNamesOf(specifier) : []) {
            try {
              return next(other, context);
            } catch {
              // The first error is the informative one.
            }
          }
          throw error;
        }
      },
      load: (url, context, next) =>
        url.startsWith('file:///tmp/') && TYPESCRIPT.test(url) ? this.load(fileURLToPath(url)) : next(url, context),
    });
  }

  /**
   * V8 refuses some syntax that the transformer passes, and reports positions in the compiled code. Returns such an
   * error of the program with the position in its source, or null for any other error.
   */
  faultOf(error) {
    if (this.main === null || !(error instanceof SyntaxError)) return null;
    const position = positionIn(error.stack) ?? positionIn(this.errorOfModule(error)?.stack);
    if (position === null) return null;

    const { map, source } = this.main;
    const { originalLine = 0, originalColumn = 0 } = new Module.SourceMap(map).findEntry(...position);
    return new SourceFault({
      path: MAIN,
      source,
      message: error.message,
      line: originalLine + 1,
      column: originalColumn + 1,
    });
  }

  /**
   * V8's error in an ES module has no position, and Node adds it only to what it prints. This compiles the module once
   * more, as a function.
   */
  errorOfModule({ stack, message }) {
    if (!/\n {4}at compileSourceTextModule /.test(stack)) return null;
    const body = this.main.code
      .replaceAll('import.meta', 'import_meta')
      .replace(/^import\b(?!\s*\().*|^export (?:\*|\{).*/gm, '')
      .replace(/^export default /gm, 'void           ')
      .replace(/^export /gm, '       ');
    try {
      new vm.Script(`async () => { 'use strict';\n${body}\n}`, { filename: COMPILED, lineOffset: -1 });
    } catch (error) {
      if (error.message === message) return error;
    }
    return null;
  }

  load(path) {
    const { code, withMap } = this.transform(path, fs.readFileSync(path, 'utf8'));
    return { format: MODULE.test(code) ? 'module' : 'commonjs', source: withMap, shortCircuit: true };
  }

  transform(path, source) {
    const result = this.byTransformer(path, source);
    const fault = faultIn(result);
    if (fault) throw new SourceFault({ path, source, ...place(path, fault, source) });

    const { code, map } = STANDARD_DECORATORS.test(result.code) ? this.byCompiler(path, source) : result;
    return withLinesBefore(
      [
        ...(code.includes('babelHelpers.') ? [LEGACY_HELPERS] : []),
        ...(IMPORT_REQUIRE.test(source) && MODULE.test(code) ? [CREATE_REQUIRE] : []),
      ],
      { code, map: { ...map, sources: [path] } },
    );
  }

  byTransformer(path, source) {
    const { experimental_decorators: isLegacy = false, jsx } = this.options;
    const options = {
      sourceType: 'module',
      sourcemap: true,
      decorator: { legacy: isLegacy },
      jsx: { runtime: JSX_RUNTIMES[jsx ?? 'react'], development: false },
      helpers: { mode: 'External' },
    };
    const transformAs = (lang) => this.transformer.transformSync(path, source, { ...options, lang });
    if (path !== MAIN) return transformAs(path.endsWith('x') ? 'tsx' : 'ts');

    // The program has no file name that says if it has JSX.
    const first = transformAs(jsx === undefined ? 'ts' : 'tsx');
    this.hasJsx = jsx !== undefined;
    if (faultIn(first) === undefined || this.hasJsx) return first;
    const second = transformAs('tsx');
    this.hasJsx = faultIn(second) === undefined;
    return this.hasJsx ? second : first;
  }

  /** TypeScript's own compiler is loaded only where it is needed, because that takes longer than most programs. */
  byCompiler(path, source) {
    const { transpileModule, ModuleKind, ScriptTarget, JsxEmit } = require(this.compiler);
    const { experimental_decorators: experimentalDecorators = false, jsx } = this.options;
    const { outputText, sourceMapText } = transpileModule(source, {
      fileName: path === MAIN ? `${path}x` : path,
      compilerOptions: {
        target: ScriptTarget.ES2024,
        module: ModuleKind.ESNext,
        jsx: jsx === 'react-jsx' ? JsxEmit.ReactJSX : JsxEmit.React,
        experimentalDecorators,
        sourceMap: true,
        inlineSources: true,
      },
    });
    const code = outputText.replace(/\n\/\/# sourceMappingURL=.*/, '');
    return { code, map: JSON.parse(sourceMapText) };
  }
}

/** Finds the line and column, from 0, at the head of the stack of a syntax error. */
function positionIn(stack) {
  const [, line, shown = ''] = /^(?:file:\/\/)?\/tmp\/main\.out\.js:(\d+)\n.*\n( *)\^/.exec(String(stack)) ?? [];
  return line === undefined ? null : [Number(line) - 1, shown.length];
}

const faultIn = ({ errors }) => errors.find(({ severity }) => severity === 'Error');

function place(path, { message, labels }, source) {
  // With several labels, the last one is the fault, as in a second declaration. oxc counts in bytes of UTF-8.
  const before = Buffer.from(source)
    .toString('utf8', 0, labels.at(-1)?.start ?? 0)
    .split('\n');
  const [line, column] = [before.length, before.at(-1).length + 1];
  return { message: path === MAIN ? message : `${message} (${path}:${line}:${column})`, line, column };
}

function withLinesBefore(lines, { code, map }) {
  const shifted = { ...map, mappings: ';'.repeat(lines.length) + map.mappings };
  const whole = [...lines, code].join('\n');
  const encoded = Buffer.from(JSON.stringify(shifted)).toString('base64');
  const withMap = `${whole}\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
  return { code: whole, map: shifted, withMap };
}

const isRelative = (specifier) => /^\.{0,2}\//.test(specifier);

const otherNamesOf = (specifier) => [
  specifier.replace(/\.([cm]?)jsx?$/, '.$1ts'),
  specifier.replace(/\.jsx?$/, '.tsx'),
  `${specifier}.ts`,
  `${specifier}.tsx`,
  `${specifier}/index.ts`,
  `${specifier}/index.tsx`,
];

module.exports = { COMPILED, SourceFault, TYPESCRIPT, TypeScript };
