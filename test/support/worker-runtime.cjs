/**
 * Loads what is under test (the service, the client, packages) once in a worker, as Node loads it in production, and
 * gives it to all test files of the worker. Jest loads every module anew for every file: the whole service is two
 * thousand of them, and took most of the time of a file.
 *
 * The code of the tests themselves (`test/`, and specs beside their subjects) is still loaded anew for each file, by
 * Jest, as its state is that of the file.
 */
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const { install, mapOf } = require('./typescript-hook.cjs');

const PROJECT = join(__dirname, '../..');
const TESTS = join(PROJECT, 'test') + sep;
const SPEC = /\.spec\.ts$/;
const RELATIVE = /^\.{0,2}\//;

const requires = new Map();
const scripts = new Map();

/** Whether each test file has its own of it. */
function isOfTests(path) {
  return path.startsWith(TESTS) || SPEC.test(path);
}

function requireNatively(from, request) {
  const directory = dirname(from);
  let require = requires.get(directory);
  if (require === undefined) requires.set(directory, (require = Module.createRequire(from)));
  return require(request);
}

/** Compiled once in a worker, and run for each file. */
function scriptOf(source, filename, parameters) {
  const known = scripts.get(filename);
  if (known?.source === source) return known.script;
  const head = `(function(${parameters.join(',')}){`;
  const script = new vm.Script(`${head}${source}\n})`, {
    filename,
    columnOffset: -head.length,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  scripts.set(filename, { source, script });
  return script;
}

module.exports = class WorkerRuntime extends Runtime {
  constructor(...parameters) {
    install();
    const { getBuiltinModule } = process;
    super(...parameters);
    // Jest has replaced that of the test file's process, which is our own.
    process.getBuiltinModule = getBuiltinModule;
    this.transformCache.sourceMaps = new SourceMaps();
    const { executor } = this;
    executor.compile = (source, filename) =>
      scriptOf(source, filename, executor.injectedModuleParameters).runInThisContext();
  }

  requireModule(from, request, options, isRequireActual) {
    if (options?.isInternalModule || request === undefined || Module.isBuiltin(request)) {
      return super.requireModule(from, request, options, isRequireActual);
    }
    if (!RELATIVE.test(request)) return this._environment.sharing(() => requireNatively(from, request));
    const path = this._resolution.resolveCjs(from, request);
    if (isOfTests(path)) return super.requireModule(from, request, options, isRequireActual);
    return this._environment.sharing(() => requireNatively(from, path));
  }
};

/** By these the stack of an error leads to what somebody wrote. */
class SourceMaps extends Map {
  get(path) {
    return super.get(path) ?? mapOf(path);
  }
}
