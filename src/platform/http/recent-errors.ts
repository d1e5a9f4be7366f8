import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../redis/redis-connections.js';
import { Clock } from '../time/clock.js';

const KEY = 'recent-errors';
const KEPT = 100;
const KEPT_SECONDS = 7 * 86_400;
/** More in a second say nothing new, and each would be a command to Redis while something is broken. */
const MOST_A_SECOND = 10;

/** A request that the service could not answer as it should. The log has the rest, by the id of the request. */
export interface RecentError {
  readonly at: string;
  readonly requestId: string;
  readonly method: string;
  /** The template of the route, never an address with what a caller chose. */
  readonly route: string;
  readonly status: number;
  readonly code: string;
  /** The class of the error, such as `TypeError`. Its message is in the log only: it may contain anything. */
  readonly name: string;
}

/** The latest errors of all processes, for operators who do not read logs. */
@Injectable()
export class RecentErrors {
  private second = { number: Number.NaN, noted: 0 };

  constructor(
    private readonly redis: RedisConnections,
    private readonly clock: Clock,
  ) {}

  /** Never throws and waits for nothing: an error that cannot be noted is in the log all the same. */
  note(error: Omit<RecentError, 'at'>): void {
    const now = this.clock.now();
    const number = Math.floor(now.getTime() / 1_000);
    if (number !== this.second.number) this.second = { number, noted: 0 };
    if (++this.second.noted > MOST_A_SECOND) return;
    const noted: RecentError = { at: now.toISOString(), ...error };
    this.redis
      .fast()
      .multi()
      .lpush(KEY, JSON.stringify(noted))
      .ltrim(KEY, 0, KEPT - 1)
      .expire(KEY, KEPT_SECONDS)
      .exec()
      .catch(() => undefined);
  }

  /** Returns up to a hundred errors of the last seven days, latest first. */
  async list(): Promise<RecentError[]> {
    return (await this.redis.fast().lrange(KEY, 0, KEPT - 1)).map((text) => JSON.parse(text) as RecentError);
  }
}
