/**
 * A test file runs among the globals of the worker itself and not in a context of its own, so that it can share the
 * modules of the service with other test files (worker-runtime.cjs): values that these make have the same `Error` and
 * `Array` as the test has.
 *
 * What a file changes about the process is put back when it ends, so that no other file finds it: global variables,
 * the environment, what has been set on `process`, its listeners, its directory, and the metrics that it counted. The
 * service itself keeps no state outside of an application (test/drift/test-isolation.test.ts).
 */
const Module = require('node:module');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Of these, the worker and packages have listeners of their own for as long as the process lives. */
const KEPT_EVENTS = new Set(['exit', 'beforeExit', 'message', 'disconnect', 'newListener', 'removeListener']);

module.exports = class WorkerEnvironment {
  global = globalThis;
  ofModules = new Set();

  constructor({ projectConfig }) {
    this.putBack = [
      keepProperties(globalThis, this.ofModules),
      keepProperties(process),
      keepVariables(),
      keepListeners(),
      keepDirectory(),
    ];
    // The globals that Jest gives to all test files, as it does in its own environments.
    Object.assign(globalThis, projectConfig.globals);
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  /** Runs `load`, which may load modules that stay, and with them global variables in which packages keep state. */
  sharing(load) {
    const known = new Set(Reflect.ownKeys(globalThis));
    try {
      return load();
    } finally {
      for (const key of Reflect.ownKeys(globalThis)) if (!known.has(key)) this.ofModules.add(key);
    }
  }

  /** Here all modules have been loaded, and no application has been made. */
  handleTestEvent({ name }) {
    if (name === 'run_start') this.putBack.push(keepMetrics());
  }

  async teardown() {
    this.fakeTimersModern?.dispose();
    this.fakeTimersModern = null;
    for (const putBack of this.putBack.splice(0)) putBack();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest takes an environment without one for one that has been torn down. */
  getVmContext() {
    return this.fakeTimersModern && globalThis;
  }
};

/** What a value is, and not what a getter of it would return: Node loads some globals when they are first read. */
function keepProperties(object, except = new Set()) {
  const kept = new Map(Reflect.ownKeys(object).map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key)]));
  return () => {
    for (const key of Reflect.ownKeys(object).filter((each) => !except.has(each))) {
      const now = Reflect.getOwnPropertyDescriptor(object, key);
      const before = kept.get(key);
      if (before === undefined) Reflect.deleteProperty(object, key);
      else if (now.value !== before.value || now.get !== before.get) Reflect.defineProperty(object, key, before);
    }
    for (const [key, before] of kept) if (!Object.hasOwn(object, key)) Reflect.defineProperty(object, key, before);
  };
}

function keepVariables() {
  const kept = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
    for (const [name, value] of Object.entries(kept)) if (process.env[name] !== value) process.env[name] = value;
  };
}

function keepListeners() {
  const ours = (event) => !KEPT_EVENTS.has(event);
  const kept = new Map(process.eventNames().map((event) => [event, new Set(process.rawListeners(event))]));
  return () => {
    for (const event of process.eventNames().filter(ours)) {
      for (const listener of process.rawListeners(event)) {
        if (!kept.get(event)?.has(listener)) process.removeListener(event, listener);
      }
    }
  };
}

/** Applications register theirs for the whole process. A module that does so is loaded once in a worker. */
function keepMetrics() {
  const client = Module._cache[require.resolve('prom-client')]?.exports;
  const ofModules = client?.register.getMetricsAsArray() ?? [];
  return () => {
    client?.register.clear();
    for (const metric of ofModules) {
      metric.reset();
      client.register.registerMetric(metric);
    }
  };
}

function keepDirectory() {
  const kept = process.cwd();
  return () => {
    if (process.cwd() !== kept) process.chdir(kept);
  };
}
