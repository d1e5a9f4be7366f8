import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Log } from '../../platform/logging/log.js';
import { isRedisAway } from '../../platform/redis/redis-away.js';
import { Clock, nextUtcMidnight, secondsUntil, utcDay } from '../../platform/time/clock.js';
import type { ClientAddress } from './client-address.js';
import { type InProcessAnswer, InProcessLimiter } from './counting/in-process-limiter.js';
import { LimitScript } from './counting/limit-script.js';
import { BurstLimitExceeded, DailyLimitExceeded, type LimitFacts } from './limits.errors.js';
import { burstSizeOf, type Tier } from './tier.js';

/** A /48 holds 65,536 networks of one customer; together they may call ten times as often as one. */
const SITE_FACTOR = 10;

/** What is left to a caller, as the budget headers say it. */
export interface Budget {
  readonly tier: Tier;
  readonly remaining: number;
  readonly burstLeft: number;
  readonly resetSeconds: number;
  readonly refusal: BurstLimitExceeded | DailyLimitExceeded | undefined;
  /** Where and when it was counted, to be given back there. */
  readonly countedIn: 'redis' | 'process';
  readonly countedAt: Date;
}

/** The calls of a caller: so many at once, and so many a UTC day (service document §8). */
@Injectable()
export class CallBudgetService {
  private readonly anonymous: Tier;

  constructor(
    private readonly config: Config,
    private readonly script: LimitScript,
    private readonly inProcess: InProcessLimiter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.anonymous = {
      name: 'anonymous',
      callsPerDay: config.anonymousCalls.perDay,
      callsPerSecond: config.anonymousCalls.perSecond,
    };
  }

  /** Spends one call. A refusal is in the answer and not thrown, because its headers are sent as well. */
  spend(address: ClientAddress): Promise<Budget> {
    return this.take(address, 1);
  }

  /** What is left, without spending anything. */
  look(address: ClientAddress): Promise<Budget> {
    return this.take(address, 0);
  }

  /** A call that we failed, or that was refused before it did anything, costs nothing. */
  async giveBack(address: ClientAddress, { countedIn, countedAt }: Budget): Promise<void> {
    if (countedIn === 'process') {
      this.inProcess.giveBack(address.network);
      return;
    }
    try {
      await this.script.giveBack(this.countersOf(address, countedAt).map(({ key }) => key));
    } catch (error) {
      if (!isRedisAway(error)) throw error;
    }
  }

  private async take(address: ClientAddress, cost: number): Promise<Budget> {
    const now = this.clock.now();
    const tier = this.anonymous;
    try {
      const { refusedBy, burstWaitMs, burstLeft, used } = await this.script.take({
        burst: { key: `limits:burst:${address.network}`, callsPerSecond: tier.callsPerSecond, size: burstSizeOf(tier) },
        counters: this.countersOf(address, now),
        expiresAt: nextUtcMidnight(now),
        cost,
      });
      this.inProcess.remember(address.network, used[0]!);
      const taken = { refusedBy: typeof refusedBy === 'number' ? 'daily' as const : refusedBy, burstWaitMs, burstLeft, used: used[0]! };
      return this.budgetOf(now, taken, 'redis');
    } catch (error) {
      if (!isRedisAway(error)) throw error;
      this.log.debug({ error }, 'Redis is away; calls are counted in this process.');
      return this.budgetOf(now, this.inProcess.take(address.network, tier, cost), 'process');
    }
  }

  private budgetOf(now: Date, taken: InProcessAnswer, countedIn: Budget['countedIn']): Budget {
    const tier = this.anonymous;
    // A network whose site is used up has nothing left, whatever its own counter says.
    const remaining = taken.refusedBy === 'daily' ? 0 : Math.max(0, tier.callsPerDay - taken.used);
    const resetsAt = nextUtcMidnight(now);
    const resetSeconds = secondsUntil(resetsAt, now);
    const shared = { upgradeUrl: this.config.pricingUrl };

    let refusal: Budget['refusal'];
    if (taken.refusedBy === 'daily') {
      refusal = new DailyLimitExceeded({ ...shared, policy: 'daily', limit: tier.callsPerDay, remaining, resetsAt, retryAfterSeconds: Math.max(1, resetSeconds) });
    } else if (taken.refusedBy === 'burst') {
      refusal = new BurstLimitExceeded(this.burstFacts(now, taken.burstWaitMs));
    }
    return { tier, remaining, burstLeft: taken.burstLeft, resetSeconds, refusal, countedIn, countedAt: now };
  }

  private burstFacts(now: Date, waitMs: number): LimitFacts {
    return {
      policy: 'burst',
      limit: burstSizeOf(this.anonymous),
      remaining: 0,
      resetsAt: new Date(now.getTime() + waitMs),
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      upgradeUrl: this.config.pricingUrl,
    };
  }

  private countersOf(address: ClientAddress, now: Date): { key: string; limit: number }[] {
    const { callsPerDay } = this.anonymous;
    const prefix = `limits:calls:${utcDay(now)}`;
    const counters = [{ key: `${prefix}:${address.network}`, limit: callsPerDay }];
    if (address.site !== undefined) counters.push({ key: `${prefix}:${address.site}`, limit: callsPerDay * SITE_FACTOR });
    return counters;
  }

}
