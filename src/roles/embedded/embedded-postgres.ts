import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runServer, type EmbeddedServer, type EmbeddedServerOptions } from './embedded-server.js';
import { serverAccount, type ServerAccount } from '../../platform/accounts/server-account.js';
import { openServerDirectory, openServerHome } from '../../platform/accounts/server-home.js';
import { findPostgresPrograms, type PostgresPrograms } from '../../platform/postgres/postgres-programs.js';
import { lockServerHome, type ServerLock } from './server-lock.js';
import { lastLines } from './server-log.js';
import { openSocketDirectory } from './socket-directory.js';
import { SERVER_ENVIRONMENT } from './watched-child.js';

/** A part of the name of the socket; no port is opened. The URL contains it, or clients would read PGPORT. */
const PORT = 5432;
const USER = 'app';

/** These settings override postgresql.conf; all others may be tuned there. */
const SETTINGS = [
  'listen_addresses=',
  `port=${PORT}`,
  'unix_socket_permissions=0700',
  'max_connections=100',
  'shared_buffers=64MB',
  'logging_collector=off',
  'log_destination=stderr',
  // Otherwise the log would contain failed statements with the values of customers.
  'log_min_error_statement=panic',
  // Details name the values that broke a constraint.
  'log_error_verbosity=terse',
];

/** These settings risk commits only if the machine crashes; they survive a crash of the server. */
const NOT_DURABLE = ['fsync=off', 'full_page_writes=off', 'autovacuum=off'];

/**
 * Starts the embedded PostgreSQL on `<dataDir>/postgres`, and creates the database on the first start.
 *
 * It listens on a unix socket only. Its user needs no password, because only this process and the server can enter the
 * directories of the socket and of the data. The URL names that directory percent-encoded as its host
 * (`postgres://app@%2Fsome%2Fdirectory:5432/postgres`), a form that pg, typeorm and libpq share; change its path to
 * name another database.
 *
 * If we are root, the server runs as `nobody`, and otherwise as our user. Each start begins a new log at
 * `<dataDir>/postgres/server.log`. The first start takes about a second, and later ones 0.1 s unless the server
 * recovers from a crash.
 *
 * @throws {Error} when there is no PostgreSQL for this platform, when another service uses the data, when the data was
 *   written by another major version (nothing is changed), and when the server does not start, with the end of its log.
 */
export async function startEmbeddedPostgres(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { dataDir, durable = true, log = console.log } = options;
  const account = serverAccount();
  const home = openServerHome({ dataDir, name: 'postgres', account, log });
  const programs = await findPostgresPrograms(home, account);
  const data = join(home, 'data');
  const pidFile = join(data, 'postmaster.pid');
  const lock = await lockServerHome({ title: 'PostgreSQL', home, data, pidFile });
  try {
    if (existsSync(data)) requireSameMajor(data, programs);
    else await createDatabase({ home, data, programs, account, lock, durable });

    // We hold the lock, so the owner of the pid file is dead. PostgreSQL checks only the pid, which may be reused.
    rmSync(pidFile, { force: true });
    const sockets = openSocketDirectory(home, `.s.PGSQL.${PORT}`, account);
    const settings = [...SETTINGS, `unix_socket_directories=${sockets}`, ...(durable ? [] : NOT_DURABLE)];
    return await runServer({
      title: 'PostgreSQL',
      home,
      lock,
      account,
      program: programs.postgres,
      args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      stopSignal: 'INT',
      url: urlOf(sockets),
      log,
      isReady: () => saysReady(pidFile),
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Returns the URL of the PostgreSQL that a service runs on this data according to its pid file, if there is one. A
 * killed server leaves its pid file behind.
 */
export function embeddedPostgresUrl(dataDir: string): string | undefined {
  try {
    const sockets =
      readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
        .split('\n')[4]
        ?.trim() ?? '';
    return sockets === '' ? undefined : urlOf(sockets);
  } catch {
    return undefined;
  }
}

const urlOf = (sockets: string): string => `postgres://${USER}@${encodeURIComponent(sockets)}:${PORT}/postgres`;

function requireSameMajor(data: string, { major }: PostgresPrograms): void {
  const written = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (written === major) return;
  throw new Error(
    `The data in ${data} was written by PostgreSQL ${written}, and this service carries PostgreSQL ${major}. ` +
      'Nothing was changed. Move the data over with pg_dump, or choose another DATA_DIR.',
  );
}

interface Creation {
  readonly home: string;
  readonly data: string;
  readonly programs: PostgresPrograms;
  readonly account: ServerAccount | undefined;
  readonly lock: ServerLock;
  readonly durable: boolean;
}

/** The directory has another name until it is complete, so an interrupted first start can be repeated. */
async function createDatabase({ home, data, programs, account, lock, durable }: Creation): Promise<void> {
  const unfinished = join(home, 'data.unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  openServerDirectory(unfinished, account);

  const initdb = spawn(
    programs.initdb,
    [
      ...['--pgdata', unfinished, '--username', USER, '--auth', 'trust', '--encoding', 'UTF8', '--no-instructions'],
      // This locale sorts by code point. Unlike those of the system, it is always there and never changes with glibc.
      ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...account, cwd: '/', env: SERVER_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe', lock.descriptor] },
  );
  const output = Promise.all([text(initdb.stdout!), text(initdb.stderr!)]);
  const [code] = (await once(initdb, 'close')) as [number | null];
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error(`The database could not be created in ${home}:\n${lastLines((await output).join(''))}`);
  }
  renameSync(unfinished, data);
}

/** PostgreSQL writes its state into the eighth line of the pid file, which pg_ctl reads too. */
function saysReady(pidFile: string): boolean {
  try {
    return readFileSync(pidFile, 'utf8').split('\n')[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}
