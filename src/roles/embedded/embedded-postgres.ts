import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runServer, type EmbeddedServer, type EmbeddedServerOptions } from './embedded-server.js';
import { findPostgresPrograms, type PostgresPrograms } from './postgres-programs.js';
import { serverAccount, type ServerAccount } from '../../platform/accounts/server-account.js';
import { openServerDirectory, openServerHome } from '../../platform/accounts/server-home.js';
import { lockServerHome, type ServerLock } from './server-lock.js';
import { lastLines } from './server-log.js';
import { openSocketDirectory } from './socket-directory.js';
import { SERVER_ENVIRONMENT } from './watched-child.js';

/** Only part of the socket's name: no port is opened. Named in the URL, or clients would ask the variable PGPORT. */
const PORT = 5432;
const USER = 'app';

/** Settings of ours win over postgresql.conf; what is not named here may be tuned there. */
const SETTINGS = [
  'listen_addresses=',
  `port=${PORT}`,
  'unix_socket_permissions=0700',
  'max_connections=100',
  'shared_buffers=64MB',
  'logging_collector=off',
  'log_destination=stderr',
  // The log would otherwise repeat each refused statement with the customer's values in it.
  'log_min_error_statement=panic',
];

/** For a crash of the machine only: what was committed survives the end of the server even so. */
const NOT_DURABLE = ['fsync=off', 'full_page_writes=off', 'autovacuum=off'];

/**
 * Starts the PostgreSQL of our own on `<dataDir>/postgres`, creating the database there on the first start.
 *
 * It listens on a unix socket only. Its user needs no password, because the directory of the socket, and that of the
 * data, can be entered by nobody but us and the server. The URL names that directory percent-encoded as its host
 * (`postgres://app@%2Fsome%2Fdirectory:5432/postgres`), a form that pg, typeorm and libpq share; change its path to
 * name another database.
 *
 * As root the server runs as `nobody`, else as ourselves. Its log is `<dataDir>/postgres/server.log`, anew with each
 * start. The first start takes about a second, later ones 0.1 s unless a crash must be recovered from.
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

    // Holding the lock, we know that its owner is dead; PostgreSQL would look at the number alone, which may be reused.
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
 * The URL of the PostgreSQL that some service runs on this data, as its own notes say; undefined when they name none. A
 * killed one leaves its notes behind.
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

/** Under another name until it is whole, so that a first start cut short is simply begun again. */
async function createDatabase({ home, data, programs, account, lock, durable }: Creation): Promise<void> {
  const unfinished = join(home, 'data.unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  openServerDirectory(unfinished, account);

  const initdb = spawn(
    programs.initdb,
    [
      ...['--pgdata', unfinished, '--username', USER, '--auth', 'trust', '--encoding', 'UTF8', '--no-instructions'],
      // Sorts by code point like every C locale, and unlike the system's it neither is missing nor changes with glibc.
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

/** PostgreSQL writes its state into the eighth line, where its own pg_ctl looks as well. */
function saysReady(pidFile: string): boolean {
  try {
    return readFileSync(pidFile, 'utf8').split('\n')[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}
