'use strict';
// Runs inside the sandbox, before and around the code of one run. The host does not trust its reports more than that
// code, because both hold the same descriptors. Node loads it by `--require`, before the program, and then starts the
// program itself: its stack traces and its asynchronous context are those of `node main.js`.

// Node loads it in each worker thread of the program, too.
delete require.cache[__filename];
process.execArgv = [];
if (!require('node:worker_threads').isMainThread) return;

const fs = require('node:fs');
const { writeSync } = fs;
const Module = require('node:module');
const { dirname } = require('node:path');
const { inspect } = require('node:util');
const { runInThisContext } = require('node:vm');

const STDIN = 0;
const WORK = 3;
const REPORT = 4;
const MAIN = '/tmp/main.js';
const TEXT_LIMIT = 8_192;

const [typescriptProgram, transformer, compiler, checker, libraries, artifactsProgram] = process.argv.slice(2);
const { COMPILED, SourceFault, TYPESCRIPT, TypeScript } = require(typescriptProgram);
const typescript = new TypeScript({ transformer, compiler });

// This warms up what is slow the first time, while no run waits. Both streams are created on first use and made
// blocking, so that process.exit() loses no output.
for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);
typescript.warmUp();

fs.writeSync(REPORT, '\n');
const { language, options, code, files } = unpack(readAll(WORK));
fs.writeSync(REPORT, '\n');
fs.closeSync(WORK);
replaceStdin();
for (const { path, content } of files) {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, content);
}

const { args = [], environment = {}, refusals = {}, artifacts } = options;
const sendArtifacts = artifacts && require(artifactsProgram).sendArtifacts.bind(null, artifacts, deliver);
process.argv = [process.argv[0], language === 'typescript' ? COMPILED : MAIN, ...args];
// What this file has loaded is none of the program's modules.
for (const path of Object.keys(require.cache)) delete require.cache[path];
Object.assign(process.env, environment);

process.on('uncaughtExceptionMonitor', (error) => {
  const fault = error instanceof SourceFault ? error : typescript.faultOf(error);
  if (fault !== null) {
    refuse(fault);
    process.exit();
  }
  explain(error);
  report({ error: describe(error) });
});
process.on('exit', (status) => {
  // bubblewrap also exits with 128 + n after signal n. This report distinguishes the two.
  if (status > 128) report({ exit: status });
  sendArtifacts?.();
});

if (refusals.workers !== undefined) refuseWorkers(refusals.workers);
if (language === 'typescript') startTypeScript();
else start(MAIN, code);

function startTypeScript() {
  typescript.options = options.typescript ?? {};
  if (files.some(({ path }) => TYPESCRIPT.test(path))) typescript.importFiles();
  try {
    const compiled = typescript.transformMain(code);
    if (options.check === true) typescript.checkTypes({ checker, libraries });
    process.setSourceMapsEnabled(true);
    start(COMPILED, compiled);
  } catch (error) {
    if (error instanceof SourceFault) refuse(error);
    else if (error.diagnostics !== undefined) refuseTypes(error);
    else throw error;
  }
}

/** Reports errors of types in the format of the compiler. */
function refuseTypes({ message, diagnostics, shown }) {
  process.stderr.write(`${shown}\n`);
  const { line, column } = diagnostics.find(({ file }) => file === 'main.ts') ?? {};
  report({ error: { name: 'TypeCheckError', message, line, column, diagnostics } });
  process.exitCode = 1;
  runNext(() => undefined);
}

/** Reports a syntax error in the format that Node uses for JavaScript. */
function refuse({ message, position, stack }) {
  process.stderr.write(`${stack}\n`);
  report({ error: { name: 'SyntaxError', message, ...position, stack: text(stack) } });
  process.exitCode = 1;
  runNext(() => undefined);
}

/** Node starts the file next, as CommonJS, or as an ES module when the syntax says so. */
function start(file, source) {
  fs.writeFileSync(file, source);
  // A bound function has no frame of its own in the user's stack traces.
  if (file !== MAIN) runNext(Module.runMain.bind(Module, file));
}

/** What Node runs instead of its own function, once: the program finds that one. */
function runNext(runMain) {
  const own = Object.getOwnPropertyDescriptor(Module, 'runMain');
  const get = () => {
    Object.defineProperty(Module, 'runMain', own);
    return runMain;
  };
  Object.defineProperty(Module, 'runMain', { get, configurable: true });
}

/** V8 would end the whole program, as if the program had used up its memory. */
function refuseWorkers(why) {
  const code = `(class Worker { constructor() { throw new Error(${JSON.stringify(why)}); } })`;
  // No frame of this file appears in the stack.
  require('node:worker_threads').Worker = runInThisContext(code, { filename: 'node:worker_threads' });
  Module.syncBuiltinESMExports();
}

/** Adds the reason to an error for which the system has only a number. */
function explain(error) {
  const why = error instanceof Error ? reasonFor(error) : undefined;
  if (why === undefined) return;
  const { message, stack } = error;
  error.message = `${message}. ${why}`;
  error.stack = String(stack).replace(message, () => error.message);
}

function reasonFor({ code, syscall = '' }) {
  if (code === 'EPERM' && String(syscall).startsWith('spawn')) return refusals.processes;
  return code === 'EACCES' && ['listen', 'connect', 'bind'].includes(syscall) ? refusals.sockets : undefined;
}

function describe(error) {
  if (!(error instanceof Error)) return { name: 'Error', message: text(inspect(error, { depth: 1 })) };
  return { name: text(error.name), message: text(error.message), stack: text(error.stack) };
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

/** Writes all of it to the report. */
function deliver(data) {
  for (let at = 0; at < data.length;) at += writeSync(REPORT, data, at);
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
  const [language, count, optionsSize] = takeLine();
  const options = JSON.parse(take(Number(optionsSize)));
  const files = Array.from({ length: Number(count) }, () => {
    const [pathSize, size] = takeLine().map(Number);
    return { path: `/tmp/${take(pathSize)}`, content: work.subarray(at, (at += size)) };
  });
  return { language, options, files, code: work.toString('utf8', at) };
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
