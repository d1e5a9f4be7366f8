'use strict';
// Runs inside the sandbox, before and around the code of one run. The host does not trust its reports more than that
// code, because both hold the same descriptors.

const fs = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');

const STDIN = 0;
const WORK = 3;
const REPORT = 4;
const MAIN = '/tmp/main.js';
// The name differs from the user's own file, because a position in the compiled code would mislead.
const COMPILED_TYPESCRIPT = '/tmp/main.out.js';
const TYPESCRIPT = /\.[cm]?ts$/;
const TEXT_LIMIT = 8_192;

const [binding] = process.argv.slice(2);
const typescript = require(binding);

// This warms up what is slow the first time, while no run waits. Both streams are created on first use and made
// blocking, so that process.exit() loses no output.
for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);
typescript.transformSync('warm.ts', 'enum Warm { Up }', { lang: 'ts', sourcemap: true });

fs.writeSync(REPORT, '\n');
const { language, code, files } = unpack(readAll(WORK));
fs.writeSync(REPORT, '\n');
fs.closeSync(WORK);
replaceStdin();
for (const { path, content } of files) {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, content);
}

process.argv = [process.argv[0], MAIN];
process.execArgv = [];
// A module with imports or top-level await may still call require(), because playground code often mixes them.
globalThis.require = Module.createRequire(MAIN);

/** Maps lines of the compiled code to lines of the TypeScript. */
let sourceMap = null;

process.on('uncaughtExceptionMonitor', (error) => {
  report({ error: describe(error) });
});
process.on('exit', (status) => {
  // bubblewrap also exits with 128 + n after signal n. This report distinguishes the two.
  if (status > 128) report({ exit: status });
});

if (language === 'typescript' && files.some(({ path }) => TYPESCRIPT.test(path))) importTypeScript();
if (language === 'typescript') startTypeScript();
else start(MAIN, code);

function startTypeScript() {
  const {
    code: javascript,
    map,
    errors,
  } = typescript.transformSync('main.ts', code, { lang: 'ts', sourceType: 'module', sourcemap: true });
  const fault = errors.find(({ severity }) => severity === 'Error');
  if (fault !== undefined) {
    refuse(fault);
    return;
  }
  sourceMap = { ...map, sources: ['/tmp/main.ts'] };
  process.setSourceMapsEnabled(true);
  start(COMPILED_TYPESCRIPT, withMap(javascript, sourceMap));
}

function withMap(javascript, map) {
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `${javascript}\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
}

/**
 * Lets the code import TypeScript files beside it as `./lib.ts`, `./lib.js` or `./lib`. Node's own type stripping does
 * not support enums.
 */
function importTypeScript() {
  Module.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        for (const other of isRelative(specifier)
          ? [specifier.replace(/\.([cm]?)js$/, '.$1ts'), `${specifier}.ts`, `${specifier}/index.ts`]
          : []) {
          try {
            return next(other, context);
          } catch {
            // The first error is the informative one.
          }
        }
        throw error;
      }
    },
    load(url, context, next) {
      return url.startsWith('file:///tmp/') && TYPESCRIPT.test(url)
        ? loadTypeScript(fileURLToPath(url))
        : next(url, context);
    },
  });
}

function loadTypeScript(path) {
  const {
    code: javascript,
    map,
    errors,
  } = typescript.transformSync(path, fs.readFileSync(path, 'utf8'), {
    lang: 'ts',
    sourceType: 'module',
    sourcemap: true,
  });
  const fault = errors.find(({ severity }) => severity === 'Error');
  if (fault !== undefined) throw new SyntaxError(`${path}: ${fault.message}`);
  const format = /^\s*(import|export)\b/m.test(javascript) ? 'module' : 'commonjs';
  return { format, source: withMap(javascript, { ...map, sources: [path] }), shortCircuit: true };
}

function isRelative(specifier) {
  return /^\.{0,2}\//.test(specifier);
}

/** Reports a syntax error in the format that Node uses for JavaScript. */
function refuse({ message, labels }) {
  // With several labels, the last one is the fault, as in a second declaration. oxc counts in bytes of UTF-8.
  const before = Buffer.from(code)
    .toString('utf8', 0, labels.at(-1)?.start ?? 0)
    .split('\n');
  const line = before.length;
  const column = before.at(-1).length + 1;
  const shown = code.split('\n')[line - 1] ?? '';
  const stack = `/tmp/main.ts:${line}\n${shown}\n${' '.repeat(column - 1)}^\n\nSyntaxError: ${message}`;
  process.stderr.write(`${stack}\n`);
  report({ error: { name: 'SyntaxError', message, line, column, stack: text(stack) } });
  process.exitCode = 1;
}

/** Starts the file like `node main.js`: as CommonJS, or as an ES module when the syntax says so. */
function start(file, source) {
  fs.writeFileSync(file, source);
  // It is scheduled, so that no frame of this file appears in the user's stack traces.
  setImmediate(Module.runMain, file);
}

function describe(error) {
  if (!(error instanceof Error)) return { name: 'Error', message: text(inspect(error, { depth: 1 })) };
  return {
    name: text(error.name),
    message: text(error.message),
    stack: text(error.stack),
    ...positionInTypeScript(error),
  };
}

/** V8 refuses some syntax that the transformer passes, such as decorators, and reports lines of the compiled code. */
function positionInTypeScript(error) {
  const [, line, shown = ''] = /^\/tmp\/main\.out\.js:(\d+)\n.*\n( *)\^/.exec(String(error.stack)) ?? [];
  if (sourceMap === null || line === undefined) return {};
  const { originalLine, originalColumn } = new Module.SourceMap(sourceMap).findEntry(Number(line) - 1, shown.length);
  return { line: originalLine + 1, column: originalColumn + 1 };
}

function text(value) {
  return String(value).slice(0, TEXT_LIMIT);
}

function report(fact) {
  try {
    fs.writeSync(REPORT, `${JSON.stringify(fact)}\n`);
  } catch {
    // The code has closed the descriptor, so the host gets no report.
  }
}

/** The format is defined in work.ts. */
function unpack(work) {
  // The service has ended before it gave this sandbox a run.
  if (work.length === 0) process.exit(0);
  let at = 0;
  const take = (size) => work.toString('utf8', at, (at += size));
  const takeLine = () => {
    const line = take(work.indexOf('\n', at) - at);
    at += 1;
    return line.split(' ');
  };
  const [language, count] = takeLine();
  const files = Array.from({ length: Number(count) }, () => {
    const [pathSize, size] = takeLine().map(Number);
    return { path: `/tmp/${take(pathSize)}`, content: work.subarray(at, (at += size)) };
  });
  return { language, files, code: work.toString('utf8', at) };
}

/** Many programs open /dev/stdin, which fails for a socket. The input therefore becomes an unlinked file. */
function replaceStdin() {
  const input = readAll(STDIN);
  const path = '/tmp/stdin';
  fs.writeFileSync(path, input);
  fs.closeSync(STDIN);
  // open() returns the lowest free descriptor, which is 0.
  fs.openSync(path, 'r');
  fs.unlinkSync(path);
}

function readAll(descriptor) {
  const chunks = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const size = fs.readSync(descriptor, chunk);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, size));
  }
}
