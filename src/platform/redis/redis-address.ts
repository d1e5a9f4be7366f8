import type { RedisOptions } from 'ioredis';

const PORT = 6_379;
const SENTINEL_PORT = 26_379;

const HOST = /^(?:\[(?<six>[\da-f:.]+)\]|(?<host>[\w.-]+))(?::(?<port>\d{1,5}))?$/i;

export const REDIS_SCHEMES = ['redis://', 'rediss://', 'redis+sentinel://', 'rediss+sentinel://', 'unix://'];

/** The end of the sentence that refuses an address. It shows nothing of it. */
export const REDIS_URL_RULE =
  'must have the form redis://user:password@host:port/db, unix:///path?db=0 or ' +
  'redis+sentinel://user:password@host:port,host:port/name/db, with special characters of the password as %XX';

export const isRedisUrl = (url: string): boolean => {
  try {
    addressOf(url);
    return true;
  } catch {
    return false;
  }
};

export const usesSentinel = (url: string): boolean => /^rediss?\+sentinel:/.test(url);
export const usesTls = (url: string): boolean => url.startsWith('rediss');

/**
 * Reads the address of a Redis. `unix:///path/redis.sock?db=2` is that of a socket; `redis://` and `rediss://` have
 * their usual meaning, and with `+sentinel` they name the sentinels of a primary.
 *
 * @throws {Error} when it cannot be read. The message shows nothing of it, because it may contain a password.
 */
export function addressOf(url: string): RedisOptions {
  return usesSentinel(url) ? sentinelAddress(url) : serverAddress(url);
}

function serverAddress(url: string): RedisOptions {
  const { protocol, hostname, port, pathname, username, password, searchParams } = parsed(url);
  if (protocol === 'unix:') {
    const db = searchParams.get('db') ?? '0';
    requireForm(pathname.length > 1 && /^\d{1,4}$/.test(db));
    return { path: decoded(pathname), db: Number(db) };
  }
  requireForm(hostname !== '' && /^\/?(\d{1,4})?\/?$/.test(pathname));
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || PORT),
    db: Number(pathname.replaceAll('/', '') || 0),
    ...credentials(username, password),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/** `redis+sentinel://user:password@host1:26379,host2:26379/name/db` names several hosts, which no `URL` can. */
function sentinelAddress(url: string): RedisOptions {
  const [scheme, rest = ''] = url.split('+sentinel://', 2);
  const at = rest.indexOf('@');
  const [username = '', password = '', ...others] = rest.slice(0, Math.max(at, 0)).split(':');
  const [hosts = '', name = '', db = '0', ...more] = rest.slice(at + 1).split('/');
  requireForm(!/[/?#]/.test(username + password));
  requireForm(others.length === 0 && more.length === 0 && /^[\w.-]+$/.test(name) && /^\d{1,4}$/.test(db));
  return {
    sentinels: hosts.split(',').map(sentinelOf),
    name,
    db: Number(db),
    ...credentials(username, password),
    ...(scheme === 'rediss' ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
}

function sentinelOf(text: string): { host: string; port: number } {
  const parts = HOST.exec(text)?.groups;
  const port = Number(parts?.['port'] ?? SENTINEL_PORT);
  requireForm(parts !== undefined && port >= 1 && port <= 65_535);
  return { host: (parts!['six'] ?? parts!['host'])!, port };
}

const credentials = (username: string, password: string): RedisOptions => ({
  ...(username ? { username: decoded(username) } : {}),
  ...(password ? { password: decoded(password) } : {}),
});

/** The error of `URL` would contain the whole address. */
function parsed(url: string): URL {
  requireForm(URL.canParse(url));
  return new URL(url);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`The address of Redis ${REDIS_URL_RULE}.`);
  }
}

function requireForm(isRight: boolean): void {
  if (!isRight) throw new Error(`The address of Redis ${REDIS_URL_RULE}.`);
}
