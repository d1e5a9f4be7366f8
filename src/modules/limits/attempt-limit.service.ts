import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../plans/plans.settings.js';
import { Clock, nextUtcMidnight } from '../../platform/time/clock.js';
import { LimitScript } from './counting/limit-script.js';
import type { LimitFacts } from './limits.errors.js';

/** So many at once, and then as many again over the whole period. */
export interface AttemptLimit {
  /** Of what, `sign-in` for one. */
  readonly name: string;
  readonly attempts: number;
  readonly periodSeconds: number;
}

/**
 * Bounds how often something may be tried for one subject, a name or an address. Without Redis nothing may be tried:
 * it guards what must not be guessed.
 */
@Injectable()
export class AttemptLimitService {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly script: LimitScript,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts one attempt. Undefined when it may go on, else the facts of the refusal.
   *
   * @throws {Error} of Redis being away, which is answered 503.
   */
  async take({ name, attempts, periodSeconds }: AttemptLimit, subject: string): Promise<LimitFacts | undefined> {
    const now = this.clock.now();
    const { refusedBy, burstWaitMs } = await this.script.take({
      burst: { key: `attempts:${name}:${subject}`, callsPerSecond: attempts / periodSeconds, size: attempts },
      counters: [],
      stamps: [],
      expiresAt: nextUtcMidnight(now),
      cost: 1,
    });
    if (refusedBy === undefined) return undefined;
    return {
      policy: name,
      limit: attempts,
      remaining: 0,
      resetsAt: new Date(now.getTime() + burstWaitMs),
      retryAfterSeconds: Math.max(1, Math.ceil(burstWaitMs / 1000)),
      upgradeUrl: this.planSettings.pricingUrl,
    };
  }
}
