import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isRedisAway } from '../../../platform/redis/redis-away.js';
import { Clock } from '../../../platform/time/clock.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';

const MAX_NETWORKS = 10_000;

interface Ban {
  readonly untilMs: number;
  readonly refusal: TooManyAttempts;
}

/**
 * Addresses that show credentials which nobody has. Nobody can guess one, but each costs a query: after a hundred in a
 * minute such an address is told to wait, and no more of its unknown credentials are looked up. Those that are known go
 * on.
 */
@Injectable()
export class Strangers {
  private readonly bans = new LRUCache<string, Ban>({ max: MAX_NETWORKS });

  constructor(
    private readonly attempts: AttemptsService,
    private readonly clock: Clock,
  ) {}

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  requireFewFrom(ip: string): void {
    const ban = this.bans.get(clientAddressOf(ip).network);
    if (ban !== undefined && this.clock.now().getTime() < ban.untilMs) throw ban.refusal;
  }

  /** Notes that a credential from there is nobody's. */
  async note(ip: string): Promise<void> {
    try {
      await this.attempts.unknownCredential(ip);
    } catch (error) {
      if (isRedisAway(error)) return;
      if (!(error instanceof TooManyAttempts)) throw error;
      const untilMs = this.clock.now().getTime() + (error.help.retryAfterSeconds ?? 1) * 1000;
      this.bans.set(clientAddressOf(ip).network, { untilMs, refusal: error });
    }
  }
}
