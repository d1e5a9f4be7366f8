import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isRedisUnavailable } from '../../platform/redis/redis-unavailable.js';
import { Clock } from '../../platform/time/clock.js';
import { clientAddressOf } from '../limits/client-address.js';
import { TooManyAttempts } from '../limits/limits.errors.js';
import { AttemptsService, type AttemptRule } from './attempts.service.js';

const UNKNOWN_CREDENTIALS: AttemptRule = {
  name: 'unknown_credential',
  attempts: 100,
  periodSeconds: 60,
  Refusal: TooManyAttempts,
};
const MAX_NETWORKS = 10_000;

interface Ban {
  readonly untilMs: number;
  readonly refusal: TooManyAttempts;
}

/**
 * Limits lookups of unknown credentials by address. Nobody can guess a credential, but each unknown one costs a query.
 * After 100 in a minute, further unknown credentials from that address are refused without a lookup. Credentials that
 * are already remembered keep working.
 */
@Injectable()
export class UnknownKeyThrottle {
  private readonly bans = new LRUCache<string, Ban>({ max: MAX_NETWORKS });

  constructor(
    private readonly attempts: AttemptsService,
    private readonly clock: Clock,
  ) {}

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  check(ip: string): void {
    const ban = this.bans.get(clientAddressOf(ip).network);
    if (ban !== undefined && this.clock.now().getTime() < ban.untilMs) throw ban.refusal;
  }

  /** Counts a credential from this address that belongs to nobody. */
  async record(ip: string): Promise<void> {
    try {
      await this.attempts.countAddress(UNKNOWN_CREDENTIALS, ip);
    } catch (error) {
      if (isRedisUnavailable(error)) return;
      if (!(error instanceof TooManyAttempts)) throw error;
      const untilMs = this.clock.now().getTime() + (error.help.retryAfterSeconds ?? 1) * 1000;
      this.bans.set(clientAddressOf(ip).network, { untilMs, refusal: error });
    }
  }
}
