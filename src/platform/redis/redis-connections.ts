import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Command, Redis, type RedisOptions } from 'ioredis';
import { Config } from '../config/config.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import { isElsewhere, PrimaryWatch } from './primary-watch.js';
import { isRedisUnavailable } from './redis-unavailable.js';
import { RedisSettings } from './redis.settings.js';
import { ReplicaConfirmations } from './replica-confirmations.js';

const PRODUCER_TIMEOUT_MS = 2_000;
const RECONNECT_MS = 250;
/**
 * A worker has a hundred connections that wait for jobs, and each attempt asks a sentinel by a connection of its own.
 * What calls wait for goes first, while the sentinels choose another primary.
 */
const BLOCKING_RECONNECT_MS = { least: 500, most: 1_500 };
const START_WAIT_MS = 2_000;
const CONNECT_WITHIN_MS = 2_000;
/** The machine of a server may vanish without a word. */
const KEEP_ALIVE_MS = 10_000;
/**
 * Replies of a server that is no primary any more, or cannot be one. While there is no other one, each reconnection
 * costs the reads that would still work.
 */
const NOT_THE_PRIMARY = /^(READONLY|UNBLOCKED|MASTERDOWN|NOREPLICAS)\b/;
const RECONNECT_AT_MOST_EVERY_MS = 2_000;
const MOST_WARNINGS = 10;
/** How long a Redis that says nothing is not asked. Then one command finds out whether it is back. */
const SILENT_FOR_MS = 5_000;

/**
 * Opens the connections to Redis, one for each way of waiting, and closes them at the end. With Sentinel they follow
 * the primary.
 */
@Injectable()
export class RedisConnections implements OnModuleInit {
  private readonly open = new Set<Redis>();
  private readonly options: RedisOptions;
  private readonly fastConnection: Redis;
  private readonly producerConnection: Redis;
  private readonly confirmations: ReplicaConfirmations | undefined;
  private readonly watch: PrimaryWatch | undefined;
  private readonly warnedOf = new Set<string>();

  constructor(
    config: Config,
    settings: RedisSettings,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    this.options = settings.options;
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
    if (settings.replicas > 0) {
      const asker = this.connect({ enableOfflineQueue: false, maxRetriesPerRequest: 0 }, PRODUCER_TIMEOUT_MS);
      this.confirmations = new ReplicaConfirmations(this.producerConnection, asker, settings.replicas);
    }
    if (this.options.sentinels !== undefined)
      this.watch = new PrimaryWatch(this.options, (primary) => {
        for (const redis of this.open) if (isElsewhere(redis, primary)) redis.disconnect(true);
      });
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
    const options = { maxRetriesPerRequest: null };
    if (this.options.sentinels === undefined) return this.connect(options);
    const { least, most } = BLOCKING_RECONNECT_MS;
    return this.connect({ ...options, ...reconnectsAfter(() => least + Math.random() * (most - least)) });
  }

  /**
   * Runs `write`, which uses {@link producer}, and resolves when as many replicas have what it wrote as
   * `REDIS_REPLICAS` says.
   * @throws {Error} when they do not; the write may have been made nevertheless.
   */
  confirmed<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    return this.confirmations === undefined ? write() : this.confirmations.of(write);
  }

  private connect(options: RedisOptions, answerWithinMs?: number): Redis {
    return new BoundedRedis(
      answerWithinMs,
      {
        ...this.options,
        ...reconnectsAfter(() => RECONNECT_MS),
        ...options,
        reconnectOnError: leavesFormerPrimary(),
        connectTimeout: CONNECT_WITHIN_MS,
        sentinelCommandTimeout: CONNECT_WITHIN_MS,
        disconnectTimeout: 100,
        // No `socketTimeout`: its timer outlives the connection, and would end the next one.
        keepAlive: KEEP_ALIVE_MS,
      },
      (redis) => {
        this.attend(redis);
      },
    );
  }

  private attend(redis: Redis): void {
    // Without a listener, a lost connection would end the process.
    redis.on('error', (error: Error) => {
      ignoreFurtherErrors(redis);
      this.log.debug({ error }, 'Redis connection');
      this.warnOf(error);
    });
    redis.once('end', () => this.open.delete(redis));
    this.open.add(redis);
  }

  /** A wrong password or certificate does not go away by itself. Readiness tells only that Redis is unavailable. */
  private warnOf(error: Error): void {
    if (isRedisUnavailable(error) || this.warnedOf.has(error.message) || this.warnedOf.size === MOST_WARNINGS) return;
    this.warnedOf.add(error.message);
    this.log.warn({ error }, 'Redis cannot be used.');
  }

  /** True when Redis last answered. When it is false, closing must not wait for Redis. */
  get isUp(): boolean {
    return this.producerConnection.status === 'ready';
  }

  private close(): void {
    this.watch?.stop();
    for (const redis of this.open) {
      ignoreFurtherErrors(redis);
      redis.disconnect();
    }
  }
}

/**
 * Gives up a command that is not answered in time, and fails the following ones at once for some seconds, or until
 * Redis answers again: a network that drops packets would otherwise cost each call that time, and a call with several
 * commands each of them. What was given up stays sent, and its late answer shows that Redis is back.
 *
 * The `commandTimeout` of ioredis also fires when this process, and not Redis, was busy, because its timer runs before
 * the answer that has already arrived is read. Here arrived data is read first.
 */
class BoundedRedis extends Redis {
  private silentUntilMs = 0;

  constructor(
    private readonly answerWithinMs: number | undefined,
    options: RedisOptions,
    private readonly attend: (redis: Redis) => void,
  ) {
    super(options);
    attend(this);
    for (const event of ['close', 'ready']) this.on(event, this.heard);
  }

  /** BullMQ makes a second connection for each worker. */
  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    this.attend(copy);
    return copy;
  }

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    // A pipeline waits until all of its commands were passed on, and has a stream of its own.
    if (performance.now() < this.silentUntilMs && stream === undefined) {
      command.reject(new Error('Command timed out'));
      return command.promise;
    }
    const answer = super.sendCommand(command, stream);
    if (this.answerWithinMs !== undefined) this.giveUpAfter(command, this.answerWithinMs);
    return answer;
  }

  private giveUpAfter(command: Command, ms: number): void {
    let isAnswered = false;
    const { stream } = this;
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (isAnswered) return;
        command.reject(new Error('Command timed out'));
        // A connection that is being opened has to be able to ask whether Redis is ready. The question of an earlier
        // one, which ended meanwhile, is never answered and says nothing of this one.
        if (this.status === 'ready' && this.stream === stream) this.silentUntilMs = performance.now() + SILENT_FOR_MS;
        command.resolve = this.heard;
        command.reject = this.heard;
      });
    }, ms);
    const stop = (): void => {
      isAnswered = true;
      clearTimeout(timer);
    };
    command.promise.then(stop, stop);
  }

  private readonly heard = (): void => {
    this.silentUntilMs = 0;
  };
}

/** ioredis listens for one error of a socket. A refused handshake of TLS has two, and the second would be thrown. */
function ignoreFurtherErrors({ stream }: Redis): void {
  (stream as Redis['stream'] | undefined)?.on('error', () => undefined);
}

const reconnectsAfter = (delayMs: () => number): RedisOptions => ({
  retryStrategy: delayMs,
  sentinelRetryStrategy: delayMs,
});

/** Returns what decides after an error whether to ask again which server is the primary. */
function leavesFormerPrimary(): (error: Error) => boolean {
  let lastMs = -RECONNECT_AT_MOST_EVERY_MS;
  return ({ message }) => {
    const nowMs = performance.now();
    if (!NOT_THE_PRIMARY.test(message) || nowMs < lastMs + RECONNECT_AT_MOST_EVERY_MS) return false;
    lastMs = nowMs;
    return true;
  };
}
