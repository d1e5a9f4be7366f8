'use strict';
// Runs inside the sandbox, before and around the code of one run. Whatever it reports, the host treats as the word of
// that code: it holds the same descriptors.

const fs = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');

const STDIN = 0;
const WORK = 3;
const REPORT = 4;
const MAIN = '/tmp/main.js';
// Another name than the user's own file has: a position in what was made of it would mislead.
const MADE_FROM_TYPESCRIPT = '/tmp/main.out.js';
const TYPESCRIPT = /\.[cm]?ts$/;
const TEXT_LIMIT = 8_192;

const [binding] = process.argv.slice(2);
const typescript = require(binding);

// While nobody waits: what is slow the first time. Both streams are made on first use, and made blocking, so that
// process.exit() loses nothing.
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
// So that a module with imports or top-level await may still require(), which playground code often mixes.
globalThis.require = Module.createRequire(MAIN);

/** Finds the line of the TypeScript for one of what was made of it. */
let sourceMap = null;

process.on('uncaughtExceptionMonitor', (error) => {
  report({ error: describe(error) });
});
process.on('exit', (status) => {
  // bubblewrap tells 128 + n for a signal, too; this tells the two apart.
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
  start(MADE_FROM_TYPESCRIPT, withMap(javascript, sourceMap));
}

function withMap(javascript, map) {
  return `${javascript}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

/**
 * Lets the code import the TypeScript that lies beside it, as `./lib.ts`, `./lib.js` or `./lib`; Node's own way knows
 * no enums.
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
            // The first error is the telling one.
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

/** Says what Node says of a syntax error in JavaScript, in the same shape. */
function refuse({ message, labels }) {
  // Of several places the last is the fault, as in a second declaration. oxc counts in bytes of UTF-8.
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

/** As `node main.js` would: CommonJS, or an ES module when the syntax says so. */
function start(file, source) {
  fs.writeFileSync(file, source);
  // Scheduled, so that no frame of this file is in the user's stack traces.
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

/** What the transformer lets pass and V8 does not, such as decorators, V8 reports in lines of what it was given. */
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
    // The code has closed the descriptor: then the host does without.
  }
}

/** work.ts says in which order it all comes. */
function unpack(work) {
  // A sandbox that never got work: the service has gone away.
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

/**
 * What arrives on a socket cannot be opened as /dev/stdin, which many programs do: it becomes a file without a name.
 */
function replaceStdin() {
  const input = readAll(STDIN);
  const path = '/tmp/stdin';
  fs.writeFileSync(path, input);
  fs.closeSync(STDIN);
  // The lowest free number: 0.
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
