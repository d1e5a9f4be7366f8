import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runServer, type EmbeddedServer, type EmbeddedServerOptions } from './embedded-server.js';
import { findRedisProgram } from './redis-program.js';
import { serverAccount } from '../../platform/accounts/server-account.js';
import { openServerDirectory, openServerHome } from '../../platform/accounts/server-home.js';
import { lockServerHome } from './server-lock.js';
import { openSocketDirectory } from './socket-directory.js';

const SOCKET = 'redis.sock';

const SETTINGS = {
  daemonize: 'no',
  port: '0',
  unixsocketperm: '700',
  databases: '64',
  // A queue must refuse jobs rather than evict them.
  'maxmemory-policy': 'noeviction',
  // The log goes to standard output, which is our file.
  logfile: '',
  // The append-only file holds everything; snapshots would only cost forks and disk space.
  save: '',
  appendfsync: 'everysec',
  // A crash during a write may truncate the last command, which was not acknowledged.
  'aof-load-truncated': 'yes',
};

/**
 * Starts an embedded Redis on `<dataDir>/redis`, with the `redis-server` of the system (6.2 or later).
 *
 * It listens on a unix socket only, in a directory that only we and the server can enter, so it has no password.
 * The URL is `unix:///absolute/path/redis.sock`, percent-encoded where needed; ioredis and BullMQ need
 * its path: `new Redis({ path: decodeURIComponent(new URL(url).pathname) })`.
 *
 * Acknowledged writes survive the end of any process; a crash of the machine may lose the last second. With
 * `durable: false` nothing is stored. If we are root, the server runs as `nobody`, and otherwise as our user. Each
 * start begins a new log at `<dataDir>/redis/server.log`.
 *
 * @throws {Error} when Redis is missing or too old, when another service uses the data, and when the server does not
 *   start, with the end of its log.
 */
export async function startEmbeddedRedis(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { dataDir, durable = true, log = console.log } = options;
  const account = serverAccount();
  const program = await findRedisProgram(account);
  const home = openServerHome({ dataDir, name: 'redis', account, log });
  const data = join(home, 'data');
  const pidFile = join(data, 'redis.pid');
  const lock = await lockServerHome({ title: 'Redis', home, data, pidFile });
  try {
    openServerDirectory(data, account);
    const socket = join(openSocketDirectory(home, SOCKET, account), SOCKET);
    const settings = {
      ...SETTINGS,
      dir: data,
      pidfile: pidFile,
      unixsocket: socket,
      appendonly: durable ? 'yes' : 'no',
    };
    return await runServer({
      title: 'Redis',
      home,
      lock,
      account,
      program,
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      stopSignal: 'TERM',
      url: pathToFileURL(socket).href.replace(/^file:/, 'unix:'),
      log,
      isReady: () => answersPing(socket),
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** While Redis loads its file, it accepts connections and answers `-LOADING`. */
function answersPing(path: string): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(path);
    socket.setTimeout(1_000);
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      answer(reply.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy());
    socket.on('error', () => {
      answer(false);
    });
    socket.once('close', () => {
      answer(false);
    });
  });
}
