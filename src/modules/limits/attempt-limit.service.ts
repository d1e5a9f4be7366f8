import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../plans/plans.settings.js';
import { Clock, nextUtcMidnight } from '../../platform/time/clock.js';
import { LimitScript } from './counting/limit-script.js';
import type { LimitFacts } from './limits.errors.js';

/** A burst of `attempts`, refilled evenly over the period. */
export interface AttemptLimit {
  /** What is attempted, for example `sign-in`. */
  readonly name: string;
  readonly attempts: number;
  readonly periodSeconds: number;
}

/**
 * Limits how often something may be attempted for one subject, a name or an address. It fails closed: without Redis
 * nothing may be attempted, because it protects secrets that must not be guessed.
 */
@Injectable()
export class AttemptLimitService {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly script: LimitScript,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts one attempt. Returns undefined when it is allowed, else the facts of the refusal.
   *
   * @throws {Error} when Redis is unavailable, which is answered with 503.
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
