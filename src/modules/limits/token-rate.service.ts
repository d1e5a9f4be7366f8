import { Injectable, Logger } from '@nestjs/common';
import { Clock, nextUtcMidnight } from '../../platform/time/clock.js';
import { PlansSettings } from '../plans/plans.settings.js';
import { LimitScript } from './counting/limit-script.js';
import type { LimitFacts } from './limits.errors.js';

export interface TokenRate {
  readonly orgId: string;
  readonly tokensPerMinute: number;
}

/**
 * Limits how many tokens of models an organization uses in a minute. What a call may use is taken before it begins, and
 * corrected when it is known what it has used. What a minute allows can be used at once, and flows back evenly.
 */
@Injectable()
export class TokenRateService {
  private readonly logger = new Logger(TokenRateService.name);

  constructor(
    private readonly planSettings: PlansSettings,
    private readonly script: LimitScript,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes tokens. Returns undefined when they are granted, else the facts of the refusal. A call that may use more than
   * a minute allows needs all of a minute, as no call could have more.
   *
   * @throws {Error} when Redis is unavailable, which is answered with 503.
   */
  async take(rate: TokenRate, tokens: number): Promise<LimitFacts | undefined> {
    const { tokensPerMinute } = rate;
    const now = this.clock.now();
    const { refusedBy, burstWaitMs, burstLeft } = await this.script.take({
      burst: { ...burstOf(rate), size: tokensPerMinute },
      counters: [],
      stamps: [],
      expiresAt: nextUtcMidnight(now),
      cost: takenFor(rate, tokens),
    });
    if (refusedBy === undefined) return undefined;
    return {
      policy: 'tokens_per_minute',
      limit: tokensPerMinute,
      remaining: burstLeft,
      resetsAt: new Date(now.getTime() + burstWaitMs),
      retryAfterSeconds: Math.max(1, Math.ceil(burstWaitMs / 1_000)),
      upgradeUrl: this.planSettings.pricingUrl,
    };
  }

  /**
   * Corrects what was taken for a call to what it has used, which may be more. It never throws, because what was taken
   * flows back by itself.
   */
  async correct(rate: TokenRate, { taken, used }: { readonly taken: number; readonly used: number }): Promise<void> {
    const added = used - takenFor(rate, taken);
    if (added === 0) return;
    await this.script.correct(burstOf(rate), added).catch((error: unknown) => {
      this.logger.debug(error);
    });
  }
}

const takenFor = ({ tokensPerMinute }: TokenRate, tokens: number): number => Math.min(tokens, tokensPerMinute);

const burstOf = ({ orgId, tokensPerMinute }: TokenRate): { key: string; callsPerSecond: number } => ({
  key: `tokens:${orgId}`,
  callsPerSecond: tokensPerMinute / 60,
});
