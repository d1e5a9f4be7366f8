import 'reflect-metadata';
import { type Config, loadConfig } from './platform/config/config.js';
import { type Log, openLog } from './platform/logging/log.js';
import { backUp } from './roles/backup/back-up.js';
import { restore } from './roles/backup/restore.js';
import { explain } from './roles/explain.js';
import { migrate } from './roles/migrate.js';
import { RunningService } from './roles/running-service.js';
import { seed } from './roles/seed.js';
import type { ServiceRole } from './roles/service.module.js';
import { welcome } from './roles/welcome.js';

/** After this long the process ends, whatever still hangs; its embedded servers end with it. */
const STOP_WITHIN_MS = 25_000;

/** At Ctrl-C the terminal signals npm and us, and npm signals us once more: that is one key press, not two. */
const SAME_KEY_PRESS_MS = 500;

void main();

/** `main.js all|api|worker|migrate|seed`, `main.js backup|restore <directory>`: one build, seven roles. The argument wins over `ROLE`. */
async function main(): Promise<void> {
  const config = readConfig();
  const log = openLog(config);
  process.on('uncaughtException', (error) => { fail(log, error); });
  process.on('unhandledRejection', (error) => { fail(log, error); });

  try {
    switch (config.role) {
      case 'migrate':
        report(await migrate(config.databaseUrl!));
        return;
      case 'seed':
        process.stdout.write(await seed(config.databaseUrl!));
        return;
      case 'backup':
        process.stdout.write(await backUp(config, log, { directory: directoryOf(config), now: new Date() }));
        return;
      case 'restore':
        process.stdout.write(await restore(config, log, directoryOf(config)));
        return;
      case 'all':
      case 'api':
      case 'worker':
        await serve(config.role, config, log);
    }
  } catch (error) {
    fail(log, error);
  }
}

async function serve(role: ServiceRole, config: Config, log: Log): Promise<void> {
  if (process.pid === 1) {
    log.warn({}, 'The service is process 1. Ended sandboxes then stay in the process table: run it under an init (docker run --init).');
  }
  const startedAtMs = performance.now();
  const starting = RunningService.start(role, config, log);
  stopOnSignals(starting, log);

  const service = await starting;
  process.stderr.write(welcome({
    role,
    address: service.address,
    dataDir: config.dataDir,
    embedded: service.servers.embedded,
    seconds: (performance.now() - startedAtMs) / 1000,
  }));
}

/** The first signal stops the service, and a further one changes nothing, except that a second Ctrl-C is impatience. */
function stopOnSignals(starting: Promise<RunningService>, log: Log): void {
  let firstAtMs: number | undefined;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    const nowMs = performance.now();
    if (firstAtMs === undefined) void stop(starting, log, signal);
    else if (signal === 'SIGINT' && nowMs > firstAtMs + SAME_KEY_PRESS_MS) process.exit(130);
    firstAtMs ??= nowMs;
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

async function stop(starting: Promise<RunningService>, log: Log, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  setTimeout(() => { fail(log, new Error(`The service did not stop within ${STOP_WITHIN_MS} ms.`)); }, STOP_WITHIN_MS).unref();
  log.info({ signal }, 'Stopping.');
  try {
    const service = await starting;
    // A person at a terminal waits for nothing; a balancer is given time to see that we are going.
    await service.stop({ atOnce: signal === 'SIGINT' });
    log.info({}, 'Stopped.');
    log.flush(() => process.exit(0));
  } catch (error) {
    fail(log, error);
  }
}

function directoryOf({ role }: Config): string {
  const directory = process.argv[3];
  if (directory === undefined || directory === '') throw new Error(`Name a directory: npm run ${role} -- <directory>`);
  return directory;
}

function readConfig(): Config {
  try {
    const role = process.argv[2];
    return loadConfig(role === undefined ? process.env : { ...process.env, ROLE: role });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

function report(migrations: readonly string[]): void {
  process.stdout.write(migrations.length === 0 ? 'The database is up to date.\n' : `Applied:\n${migrations.map((name) => `  ${name}\n`).join('')}`);
}

/** Said plainly for a person, and as a line for the log; then the process ends. */
function fail(log: Log, error: unknown): void {
  log.error({ error }, 'The service cannot go on.');
  process.stderr.write(`\n${explain(error)}\n`);
  log.flush(() => process.exit(1));
}
