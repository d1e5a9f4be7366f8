'use strict';
// Runs inside the sandbox, before and around the code of one run. Whatever it reports, the host treats as the word of
// that code: it holds the same descriptors.

const fs = require('node:fs');
const Module = require('node:module');

const WORK = 3;
const REPORT = 4;
const MAIN = '/tmp/main.js';
const TEXT_LIMIT = 8_192;

const [binding] = process.argv.slice(2);
const typescript = binding === undefined ? null : require(binding);

// While nobody waits: both streams are made on first use, and made blocking, so that process.exit() loses nothing.
for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);

fs.writeSync(REPORT, '\n');
const code = readWork();
fs.closeSync(WORK);

process.argv = [process.argv[0], MAIN];
process.execArgv = [];
// So that a module with imports or top-level await may still require(), which playground code often mixes.
globalThis.require = Module.createRequire(MAIN);

process.on('uncaughtExceptionMonitor', (error) => {
  report({ error: describe(error) });
});
process.on('exit', (status) => {
  // bubblewrap tells 128 + n for a signal, too; this tells the two apart.
  if (status > 128) report({ exit: status });
});

if (typescript === null) start(code);
else startTypeScript();

function startTypeScript() {
  const { code: javascript, map, errors } = typescript.transformSync('main.ts', code, { lang: 'ts', sourceType: 'module', sourcemap: true });
  const fault = errors.find(({ severity }) => severity === 'Error');
  if (fault !== undefined) {
    refuse(fault);
    return;
  }
  const inline = Buffer.from(JSON.stringify({ ...map, sources: ['/tmp/main.ts'] })).toString('base64');
  start(`${javascript}\n//# sourceMappingURL=data:application/json;base64,${inline}`);
}

/** Says what Node says of a syntax error in JavaScript, in the same shape. */
function refuse({ message, labels }) {
  const offset = labels[0]?.start ?? 0;
  const before = code.slice(0, offset).split('\n');
  const line = before.length;
  const column = before.at(-1).length + 1;
  const shown = code.split('\n')[line - 1] ?? '';
  process.stderr.write(`/tmp/main.ts:${line}\n${shown}\n${' '.repeat(column - 1)}^\n\nSyntaxError: ${message}\n`);
  report({ error: { name: 'SyntaxError', message, line, column } });
  process.exitCode = 1;
}

/** As `node main.js` would: CommonJS, or an ES module when the syntax says so. */
function start(source) {
  fs.writeFileSync(MAIN, source);
  // Scheduled, so that no frame of this file is in the user's stack traces.
  setImmediate(Module.runMain, MAIN);
}

function describe(error) {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  return { name: text(error.name), message: text(error.message), stack: text(error.stack) };
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

function readWork() {
  const chunks = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const size = fs.readSync(WORK, chunk);
    if (size === 0) break;
    chunks.push(chunk.subarray(0, size));
  }
  // A sandbox that never got work: the service has gone away.
  if (chunks.length === 0) process.exit(0);
  return Buffer.concat(chunks).toString('utf8');
}
