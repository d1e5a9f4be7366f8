import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Command, Redis, type RedisOptions } from 'ioredis';
import { Config } from '../config/config.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';

const PRODUCER_TIMEOUT_MS = 2_000;
const RECONNECT_MS = 250;
const START_WAIT_MS = 2_000;

/**
 * Opens the connections to Redis, one for each way of waiting, and closes them at the end.
 * `unix:///path/redis.sock?db=2` is the address of a socket; `redis://` and `rediss://` have their usual meaning.
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
    this.fastConnection = this.connect(
      {
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
      },
      config.redisTimeoutMs,
    );
    this.producerConnection = this.connect(
      {
        enableOfflineQueue: false,
        maxRetriesPerRequest: 1,
      },
      PRODUCER_TIMEOUT_MS,
    );
    shutdown.at('redis', () => {
      this.close();
    });
  }

  /**
   * Connections that do not queue must be up before the first call. The wait is short, because Redis may be
   * unavailable.
   */
  async onModuleInit(): Promise<void> {
    const ready = [this.fastConnection, this.producerConnection].map(async (redis) => {
      if (redis.status !== 'ready') await once(redis, 'ready');
    });
    await Promise.race([Promise.all(ready), sleep(START_WAIT_MS, undefined, { ref: false })]).catch(() => undefined);
  }

  /**
   * The shared connection for limits and other work during a request. It never queues offline and gives up after
   * `REDIS_TIMEOUT_MS`.
   */
  fast(): Redis {
    return this.fastConnection;
  }

  /**
   * The shared connection for adding jobs and fetching their results. It fails at once when Redis is unavailable, so
   * that the caller gets an answer.
   */
  producer(): Redis {
    return this.producerConnection;
  }

  /** Opens a connection for one worker or listener, which waits without a limit. */
  blocking(): Redis {
    return this.connect({ maxRetriesPerRequest: null });
  }

  private connect(options: RedisOptions, answerWithinMs?: number): Redis {
    const address = addressOf(this.config.redisUrl!);
    const redis = new BoundedRedis(answerWithinMs, {
      ...address,
      ...options,
      retryStrategy: () => RECONNECT_MS,
      connectTimeout: 2_000,
      disconnectTimeout: 100,
    });
    // Without a listener, a lost connection would end the process.
    redis.on('error', (error: Error) => {
      this.log.debug({ error }, 'Redis connection');
    });
    this.open.push(redis);
    return redis;
  }

  /** True when Redis last answered. When it is false, closing must not wait for Redis. */
  get isUp(): boolean {
    return this.producerConnection.status === 'ready';
  }

  private close(): void {
    for (const redis of this.open) redis.disconnect();
  }
}

/**
 * Gives up a command that is not answered in time. The `commandTimeout` of ioredis also fires when this process, and
 * not Redis, was busy, because its timer runs before the answer that has already arrived is read. Here arrived data is
 * read first.
 */
class BoundedRedis extends Redis {
  constructor(
    private readonly answerWithinMs: number | undefined,
    options: RedisOptions,
  ) {
    super(options);
  }

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    const answer = super.sendCommand(command, stream);
    if (this.answerWithinMs !== undefined) giveUpAfter(command, this.answerWithinMs);
    return answer;
  }
}

function giveUpAfter(command: Command, ms: number): void {
  const timer = setTimeout(() => {
    setImmediate(() => {
      if (!command.isResolved) command.reject(new Error('Command timed out'));
    });
  }, ms);
  const stop = (): void => {
    clearTimeout(timer);
  };
  command.promise.then(stop, stop);
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
