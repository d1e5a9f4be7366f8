import 'reflect-metadata';
import { Config, type Role } from './platform/config/config.js';
import type { Settings } from './platform/config/settings.js';
import { NoSiblings } from './platform/lifecycle/sibling-processes.js';
import { type Log, openLog } from './platform/logging/log.js';
import type { ServiceRole } from './roles/service.module.js';
import { loadSettings } from './roles/settings.js';

/** After this time the process exits even if something hangs; its embedded servers end with it. */
const STOP_WITHIN_MS = 25_000;

/** A reader of the log that does not read must not keep a process that has failed. */
const REPORT_WITHIN_MS = 5_000;

/** On Ctrl-C the terminal signals both npm and us, and npm signals us again; signals this close are one key press. */
const SAME_KEY_PRESS_MS = 500;

/** The second argument of processes that a supervisor starts. */
const SUPERVISED = '--supervised';

interface Stoppable {
  stop(options: { readonly atOnce?: boolean; readonly elapsedMs?: number }): Promise<void>;
}

ignoreLostReaders();
void main();

/**
 * `main.js all|api|edge|worker|databases|migrate|seed`, `main.js backup|restore <directory>`. The argument overrides
 * `ROLE`.
 */
async function main(): Promise<void> {
  const settings = settingsOrExit();
  const config = settings.of(Config);
  const { role } = config;
  if (role === 'all') {
    await supervise(settings);
    return;
  }
  const log = openLog(config);
  onUncaught(log);
  try {
    await run(role, settings, log);
  } catch (error) {
    fail(log, error);
  }
}

/** Each role imports its code on demand, so that the supervisor and the short commands stay small. */
async function run(role: Exclude<Role, 'all'>, settings: Settings, log: Log): Promise<void> {
  const config = settings.of(Config);
  switch (role) {
    case 'migrate':
      report(await (await import('./roles/migrate.js')).migrate(config.directDatabaseUrl!, undefined, log));
      return;
    case 'seed':
      process.stdout.write(await (await import('./roles/seed.js')).seed(config.directDatabaseUrl!));
      return;
    case 'backup': {
      const { backUp } = await import('./roles/backup/back-up.js');
      process.stdout.write(await backUp(settings, log, { directory: directoryOf(config), now: new Date() }));
      return;
    }
    case 'restore':
      process.stdout.write(
        await (await import('./roles/backup/restore.js')).restore(settings, log, directoryOf(config)),
      );
      return;
    case 'api':
    case 'edge':
    case 'worker':
    case 'databases':
      if (config.isSupervised) await serveSupervised(role, settings, log);
      else await serve(role, settings, log);
  }
}

async function supervise(settings: Settings): Promise<void> {
  const config = settings.of(Config);
  const [{ StartAborted, Supervisor }, { LineRelay }, { StartProgress }, { welcome }] = await Promise.all([
    import('./roles/supervisor/supervisor.js'),
    import('./roles/supervisor/line-relay.js'),
    import('./roles/start-progress.js'),
    import('./roles/welcome.js'),
  ]);
  const relay = new LineRelay(1);
  process.once('exit', () => {
    relay.flushNow();
  });
  const log = openLog(config, relay);
  onUncaught(log);
  warnProcessOne(log);
  const startedAtMs = performance.now();
  const supervisor = new Supervisor({
    settings,
    log,
    relay,
    environment: process.env,
    command: [process.execPath, ...process.execArgv, __filename],
    progress: new StartProgress(log),
    onGivenUp: (error) => {
      fail(log, error);
    },
  });
  stopOnSignals(Promise.resolve(supervisor), log);
  try {
    const started = await supervisor.start();
    process.stderr.write(
      welcome({ ...started, role: 'all', hasApi: true, dataDir: config.dataDir, seconds: secondsSince(startedAtMs) }),
    );
  } catch (error) {
    // The operator stopped the start and needs no reason.
    if (!(error instanceof StartAborted)) fail(log, error);
  }
}

/** A single role, in a process or machine that the operator manages. */
async function serve(role: ServiceRole, settings: Settings, log: Log): Promise<void> {
  warnProcessOne(log);
  const startedAtMs = performance.now();
  const [{ RunningService }, { welcome }] = await Promise.all([
    import('./roles/running-service.js'),
    import('./roles/welcome.js'),
  ]);
  const starting = RunningService.start(role, { settings, log, siblings: new NoSiblings() });
  stopOnSignals(starting, log);
  const { address, appsAddress, databasesAddress } = await starting;
  process.stderr.write(
    welcome({
      role,
      address: address!,
      hasApi: role === 'api',
      appsAddress,
      databasesAddress,
      dataDir: settings.of(Config).dataDir,
      embedded: [],
      seconds: secondsSince(startedAtMs),
    }),
  );
}

/** A process of the role `all`. It reports to its supervisor instead of the terminal. */
async function serveSupervised(role: ServiceRole, settings: Settings, log: Log): Promise<void> {
  const [{ RunningService }, { SupervisedProcess }] = await Promise.all([
    import('./roles/running-service.js'),
    import('./roles/supervised-process.js'),
  ]);
  let starting: Promise<Stoppable> | undefined;
  const siblings = new SupervisedProcess((options) => {
    if (starting === undefined) process.exit(0);
    else void stop(starting, log, options);
  });
  // The processes share a database, and only the API migrates it.
  const databaseIsReady = async (): Promise<void> => {
    if (role !== 'api') return siblings.begun;
    await (await import('./roles/migrate.js')).migrate(settings.of(Config).directDatabaseUrl!, undefined, log);
    siblings.say({ kind: 'migrated' });
  };
  try {
    await Promise.all([databaseIsReady(), (await import('./roles/service.module.js')).loadRole(role)]);
    const service = RunningService.start(role, { settings, log, siblings });
    starting = service;
    stopOnSignals(starting, log);
    const { address, appsAddress, databasesAddress } = await service;
    (await import('./roles/release-memory.js')).releaseMemory();
    siblings.say({
      kind: 'ready',
      address: address ?? '',
      ...(appsAddress === undefined ? {} : { appsAddress }),
      ...(databasesAddress === undefined ? {} : { databasesAddress }),
    });
  } catch (error) {
    log.error({ error }, 'The process could not start.');
    siblings.say({ kind: 'failed', message: await explained(error) }, () => {
      log.flush(() => process.exit(1));
    });
  }
}

function warnProcessOne(log: Log): void {
  if (process.pid !== 1) return;
  log.warn(
    {},
    'The service runs as process 1, so ended sandboxes stay in the process table. ' +
      'Run it under an init (docker run --init).',
  );
}

/** The reader of the output may go away, as when a terminal is closed. That is no reason to stop, nor to throw. */
function ignoreLostReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

function onUncaught(log: Log): void {
  process.on('uncaughtException', (error) => {
    fail(log, error);
  });
  process.on('unhandledRejection', (error) => {
    fail(log, error);
  });
}

/** The first signal stops the service. Further signals change nothing, but a second Ctrl-C ends it at once. */
function stopOnSignals(starting: Promise<Stoppable>, log: Log): void {
  let firstAtMs: number | undefined;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    const nowMs = performance.now();
    if (firstAtMs === undefined) {
      log.info({ signal }, 'Stopping.');
      // At a terminal it stops at once; otherwise load balancers get time to notice that it stops.
      void stop(starting, log, { atOnce: signal === 'SIGINT' });
    } else if (signal === 'SIGINT' && nowMs > firstAtMs + SAME_KEY_PRESS_MS) process.exit(130);
    firstAtMs ??= nowMs;
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

async function stop(starting: Promise<Stoppable>, log: Log, options: Parameters<Stoppable['stop']>[0]): Promise<void> {
  setTimeout(() => {
    fail(log, new Error(`The service did not stop within ${STOP_WITHIN_MS} ms.`));
  }, STOP_WITHIN_MS).unref();
  try {
    const service = await starting;
    await service.stop(options);
    log.info({}, 'Stopped.');
    log.flush(() => process.exit(0));
  } catch (error) {
    fail(log, error);
  }
}

function directoryOf({ role }: Config): string {
  const directory = process.argv[3];
  if (directory === undefined || directory === '')
    throw new Error(`The directory is missing. Run: npm run ${role} -- <directory>`);
  return directory;
}

function settingsOrExit(): Settings {
  try {
    const role = process.argv[2];
    const isSupervised = process.argv[3] === SUPERVISED;
    return loadSettings(role === undefined ? process.env : { ...process.env, ROLE: role }, { isSupervised });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

function report(migrations: readonly string[]): void {
  process.stdout.write(
    migrations.length === 0
      ? 'The database is up to date.\n'
      : `Applied:\n${migrations.map((name) => `  ${name}\n`).join('')}`,
  );
}

const secondsSince = (startedAtMs: number): number => (performance.now() - startedAtMs) / 1000;

let hasFailed = false;

/** Reports the error to the log and to standard error, and exits. What fails after the first error is not reported. */
function fail(log: Log, error: unknown): void {
  if (hasFailed) return;
  hasFailed = true;
  log.error({ error }, 'The service stopped because of an error.');
  setTimeout(() => process.exit(1), REPORT_WITHIN_MS).unref();
  void explained(error).then((message) => {
    process.stderr.write(`\n${message}\n`);
    log.flush(() => process.exit(1));
  });
}

/** Imports the errors of the database library on demand, which keeps the supervisor small. */
async function explained(error: unknown): Promise<string> {
  return (await import('./roles/explain.js')).explain(error);
}
