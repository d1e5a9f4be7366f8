import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../plans/plans.settings.js';
import { LimitsSettings } from './limits.settings.js';
import { Log } from '../../platform/logging/log.js';
import { isRedisUnavailable } from '../../platform/redis/redis-unavailable.js';
import { Clock, nextUtcMidnight, secondsUntil, utcDay } from '../../platform/time/clock.js';
import type { BudgetAccount } from './budget-account.js';
import type { ClientAddress } from './client-address.js';
import { type InProcessAnswer, InProcessLimiter } from './counting/in-process-limiter.js';
import { LimitScript } from './counting/limit-script.js';
import { BurstLimitExceeded, DailyLimitExceeded, type LimitFacts } from './limits.errors.js';
import { burstSizeOf, type Tier, UNLIMITED_CALLS } from './tier.js';

/** A /48 holds 65,536 networks of one customer. Together they may make ten times as many calls as one of them. */
const SITE_FACTOR = 10;

/** The remaining budget of a caller, as the budget headers report it. */
export interface Budget {
  readonly account: BudgetAccount;
  readonly limit: number;
  readonly remaining: number;
  readonly burstLeft: number;
  readonly resetSeconds: number;
  readonly refusal: BurstLimitExceeded | DailyLimitExceeded | undefined;
  /** The stamps that were read in the same round trip; empty while Redis is unavailable. */
  readonly stamps: readonly number[];
  /** Where and when the call was counted, so that it can be returned there. */
  readonly countedIn: 'redis' | 'process';
  readonly countedAt: Date;
}

/** Limits the API calls of a caller: a burst limit and a budget for each UTC day (service document §8). */
@Injectable()
export class CallBudgetService {
  private readonly anonymous: Tier;

  constructor(
    private readonly planSettings: PlansSettings,
    private readonly settings: LimitsSettings,
    private readonly script: LimitScript,
    private readonly inProcess: InProcessLimiter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.anonymous = {
      name: 'anonymous',
      callsPerDay: settings.anonymousCallsPerDay,
      callsPerSecond: settings.anonymousCallsPerSecond,
    };
  }

  /** The account of an unauthenticated caller. */
  accountOfAddress({ network, site }: ClientAddress): BudgetAccount {
    const circles =
      site === undefined ? [] : [{ key: site, callsPerDay: this.settings.anonymousCallsPerDay * SITE_FACTOR }];
    return { key: network, tier: this.anonymous, circles };
  }

  /**
   * Spends one call and reads `stamps` in the same round trip. A refusal is returned and not thrown, because its
   * headers are sent as well.
   */
  spend(account: BudgetAccount, stamps: readonly string[] = []): Promise<Budget> {
    return this.take(account, stamps, 1);
  }

  /** Returns the remaining budget without spending anything, and reads `stamps` in the same round trip. */
  look(account: BudgetAccount, stamps: readonly string[] = []): Promise<Budget> {
    return this.take(account, stamps, 0);
  }

  /**
   * Returns a call to the budget. Calls that failed on our side, or were refused before they did anything, are free.
   */
  async giveBack({ account, countedIn, countedAt }: Budget): Promise<void> {
    if (account.burstOnly !== undefined) return;
    if (countedIn === 'process') {
      this.inProcess.giveBack(account.key);
      return;
    }
    try {
      await this.script.giveBack(countersOf(account, countedAt).map(({ key }) => key));
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
    }
  }

  /** The refusal for an account whose daily budget is used up. */
  usedUp({ tier }: BudgetAccount): DailyLimitExceeded {
    const now = this.clock.now();
    const resetsAt = nextUtcMidnight(now);
    return new DailyLimitExceeded({
      policy: 'daily',
      limit: tier.callsPerDay ?? UNLIMITED_CALLS,
      remaining: 0,
      resetsAt,
      retryAfterSeconds: Math.max(1, secondsUntil(resetsAt, now)),
      upgradeUrl: this.planSettings.pricingUrl,
    });
  }

  private async take(account: BudgetAccount, stamps: readonly string[], cost: number): Promise<Budget> {
    const now = this.clock.now();
    if (account.burstOnly !== undefined) return this.takeBurst(account, account.burstOnly, stamps, cost);
    const { key, tier } = account;
    try {
      const answer = await this.script.take({
        burst: { key: `limits:burst:${key}`, callsPerSecond: tier.callsPerSecond, size: burstSizeOf(tier) },
        counters: countersOf(account, now),
        stamps,
        expiresAt: nextUtcMidnight(now),
        cost,
      });
      this.inProcess.remember(key, answer.used[0]!);
      const refusedBy = typeof answer.refusedBy === 'number' ? 'daily' : answer.refusedBy;
      return this.budgetOf(
        account,
        now,
        { ...answer, refusedBy, used: answer.used[0]! },
        { countedIn: 'redis', stamps: answer.stamps },
      );
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.log.debug({ error }, 'Redis is unavailable; calls are counted in this process.');
      return this.budgetOf(account, now, this.inProcess.take(key, tier, cost), { countedIn: 'process', stamps: [] });
    }
  }

  /** Takes from a burst limit alone, and reads along what is left of the daily budget. */
  private async takeBurst(
    account: BudgetAccount,
    burstKey: string,
    stamps: readonly string[],
    cost: number,
  ): Promise<Budget> {
    const now = this.clock.now();
    const { key, tier } = account;
    try {
      const answer = await this.script.take({
        burst: { key: `limits:burst:${burstKey}`, callsPerSecond: tier.callsPerSecond, size: burstSizeOf(tier) },
        counters: [],
        stamps: [...stamps, ...countersOf(account, now).map((counter) => counter.key)],
        expiresAt: nextUtcMidnight(now),
        cost,
      });
      const taken = {
        refusedBy: answer.refusedBy === undefined ? undefined : ('burst' as const),
        burstWaitMs: answer.burstWaitMs,
        burstLeft: answer.burstLeft,
        used: Math.max(0, answer.stamps[stamps.length]!),
      };
      return this.budgetOf(account, now, taken, {
        countedIn: 'redis',
        stamps: answer.stamps.slice(0, stamps.length),
      });
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.log.debug({ error }, 'Redis is unavailable; calls are counted in this process.');
      const taken = this.inProcess.take(burstKey, { ...tier, callsPerDay: null }, cost);
      const { used } = this.inProcess.take(key, tier, 0);
      return this.budgetOf(account, now, { ...taken, used }, { countedIn: 'process', stamps: [] });
    }
  }

  private budgetOf(
    account: BudgetAccount,
    now: Date,
    taken: InProcessAnswer,
    counted: Pick<Budget, 'countedIn' | 'stamps'>,
  ): Budget {
    const { tier } = account;
    const limit = tier.callsPerDay ?? UNLIMITED_CALLS;
    // A network has nothing left when its site has nothing left, whatever its own counter says.
    const remaining =
      tier.callsPerDay === null ? UNLIMITED_CALLS : taken.refusedBy === 'daily' ? 0 : Math.max(0, limit - taken.used);
    const resetsAt = nextUtcMidnight(now);
    const resetSeconds = secondsUntil(resetsAt, now);
    let refusal: Budget['refusal'];
    if (taken.refusedBy === 'daily') {
      refusal = this.usedUp(account);
    } else if (taken.refusedBy === 'burst') {
      refusal = new BurstLimitExceeded(this.burstFacts(tier, now, taken.burstWaitMs));
    }
    return { account, limit, remaining, burstLeft: taken.burstLeft, resetSeconds, refusal, countedAt: now, ...counted };
  }

  private burstFacts(tier: Tier, now: Date, waitMs: number): LimitFacts {
    return {
      policy: 'burst',
      limit: burstSizeOf(tier),
      remaining: 0,
      resetsAt: new Date(now.getTime() + waitMs),
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      upgradeUrl: this.planSettings.pricingUrl,
    };
  }
}

/** Calls of unlimited plans are counted as well, because usage reports show them. */
function countersOf({ key, tier, circles }: BudgetAccount, now: Date): { key: string; limit: number }[] {
  const prefix = `limits:calls:${utcDay(now)}`;
  const own = { key: `${prefix}:${key}`, limit: tier.callsPerDay ?? -1 };
  if (circles.length === 0) return [own];
  return [own, ...circles.map((circle) => ({ key: `${prefix}:${circle.key}`, limit: circle.callsPerDay }))];
}
