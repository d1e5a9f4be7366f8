import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { Config } from '../config/config.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';

/** A command of a fast connection that has not been answered by then counts as Redis being away. */
const FAST_TIMEOUT_MS = 50;
const PRODUCER_TIMEOUT_MS = 2_000;
const RECONNECT_MS = 250;
const START_WAIT_MS = 2_000;

/**
 * Opens connections to Redis, each for one way of waiting, and closes them at the end.
 *
 * `unix:///path/redis.sock?db=2` is the address of a socket; else `redis://` and `rediss://` as usual.
 */
@Injectable()
export class RedisConnections implements OnModuleInit {
  private readonly open: Redis[] = [];
  private readonly fastConnection: Redis;
  private readonly producerConnection: Redis;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    this.fastConnection = this.connect({
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: FAST_TIMEOUT_MS,
      enableAutoPipelining: true,
    });
    this.producerConnection = this.connect({
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: PRODUCER_TIMEOUT_MS,
    });
    shutdown.at('redis', () => { this.close(); });
  }

  /** Connections that do not queue must be up before the first call; a Redis that is away is not waited for long. */
  async onModuleInit(): Promise<void> {
    const ready = [this.fastConnection, this.producerConnection].map(async (redis) => {
      if (redis.status !== 'ready') await once(redis, 'ready');
    });
    await Promise.race([Promise.all(ready), sleep(START_WAIT_MS, undefined, { ref: false })]).catch(() => undefined);
  }

  /** Shared. For limits and other work in the way of a request: never queues offline, gives up after 50 ms. */
  fast(): Redis {
    return this.fastConnection;
  }

  /** Shared. For adding jobs and fetching their results: fails at once when Redis is away, so that the caller can be told. */
  producer(): Redis {
    return this.producerConnection;
  }

  /** One for each worker or listener, which waits as long as it takes. */
  blocking(): Redis {
    return this.connect({ maxRetriesPerRequest: null });
  }

  private connect(options: RedisOptions): Redis {
    const address = addressOf(this.config.redisUrl!);
    const redis = new Redis({ ...address, ...options, retryStrategy: () => RECONNECT_MS, connectTimeout: 2_000, disconnectTimeout: 100 });
    // Without a listener a lost connection would end the process.
    redis.on('error', (error: Error) => { this.log.debug({ error }, 'Redis connection'); });
    this.open.push(redis);
    return redis;
  }

  /** Whether Redis answered last. What waits for Redis in order to close need not be waited for when it is away. */
  get isUp(): boolean {
    return this.producerConnection.status === 'ready';
  }

  private close(): void {
    for (const redis of this.open) redis.disconnect();
  }
}

/** @throws {TypeError} when the address is not a URL. */
export function addressOf(url: string): RedisOptions {
  const { protocol, hostname, port, pathname, username, password, searchParams } = new URL(url);
  if (protocol === 'unix:') return { path: decodeURIComponent(pathname), db: Number(searchParams.get('db') ?? 0) };
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    db: Number(pathname.slice(1) || 0),
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}
