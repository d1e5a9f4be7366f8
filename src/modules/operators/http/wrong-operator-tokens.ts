import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PlansSettings } from '../../plans/plans.settings.js';
import { Clock } from '../../../platform/time/clock.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';

const MOST_WRONG = 20;
const PERIOD_MS = 60_000;
const MAX_NETWORKS = 10_000;

interface Count {
  wrong: number;
  readonly resetsAtMs: number;
}

/**
 * Limits wrong operator tokens by address. After 20 in a minute, the address is refused until the minute is over, even
 * with the right token, because otherwise the limit would not slow down guessing. The process counts them itself,
 * because operators need these endpoints most while Redis is unavailable.
 */
@Injectable()
export class WrongOperatorTokens {
  private readonly counts = new LRUCache<string, Count>({ max: MAX_NETWORKS });

  constructor(
    private readonly planSettings: PlansSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  requireFew(setting: string, ip: string): void {
    const count = this.find(setting, ip);
    if (count === undefined || count.wrong < MOST_WRONG) return;
    throw new TooManyAttempts({
      policy: 'operator_token',
      limit: MOST_WRONG,
      remaining: 0,
      resetsAt: new Date(count.resetsAtMs),
      retryAfterSeconds: Math.max(1, Math.ceil((count.resetsAtMs - this.clock.now().getTime()) / 1000)),
      upgradeUrl: this.planSettings.pricingUrl,
    });
  }

  note(setting: string, ip: string): void {
    const count = this.find(setting, ip);
    if (count !== undefined) count.wrong++;
    else this.counts.set(keyOf(setting, ip), { wrong: 1, resetsAtMs: this.clock.now().getTime() + PERIOD_MS });
  }

  private find(setting: string, ip: string): Count | undefined {
    const count = this.counts.get(keyOf(setting, ip));
    return count !== undefined && this.clock.now().getTime() < count.resetsAtMs ? count : undefined;
  }
}

const keyOf = (setting: string, ip: string): string => `${setting} ${clientAddressOf(ip).network}`;
