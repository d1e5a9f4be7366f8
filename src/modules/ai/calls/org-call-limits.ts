import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { OrgMembership } from '../../auth/principal.js';
import { ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { type TokenRate, TokenRateService } from '../../limits/token-rate.service.js';
import type { LimitFacts } from '../../limits/limits.errors.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { ModelConcurrencyLimitExceeded, TokenRateLimitExceeded } from '../ai.errors.js';

const NAME = 'ai';
const RETRY_AFTER_SECONDS = 1;
/** Longer than any call runs. */
const LIFETIME_MS = 17 * 60_000;

/** A call that the limits have admitted. */
interface AdmittedCall {
  readonly id: string;
  /** The most that the call may use. */
  readonly tokens: number;
}

/**
 * Limits how many calls of models an organization has at the same time, those without a caller included, and how many
 * tokens they use in a minute.
 */
@Injectable()
export class OrgCallLimits {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly concurrency: ConcurrencyLimitService,
    private readonly rates: TokenRateService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {ModelConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {TokenRateLimitExceeded} `token_rate_limit_exceeded`
   */
  async enter(org: OrgMembership, { id, tokens }: AdmittedCall): Promise<void> {
    const places = PLANS[org.plan].ai.concurrency;
    // Both at once take one round trip to Redis.
    const [placed, rated] = await Promise.allSettled([
      this.concurrency.take({ name: NAME, places, lifetimeMs: LIFETIME_MS }, org.id, id),
      this.rates.take(rateOf(org), tokens),
    ]);
    const hasPlace = placed.status === 'fulfilled' && placed.value;
    const hasTokens = rated.status === 'fulfilled' && rated.value === undefined;
    if (hasPlace && hasTokens) return;
    if (hasPlace) await this.concurrency.end({ name: NAME }, org.id, id);
    if (hasTokens) await this.rates.correct(rateOf(org), { taken: tokens, used: 0 });
    if (placed.status === 'rejected') throw placed.reason;
    if (!placed.value) throw new ModelConcurrencyLimitExceeded(this.noPlaceOf(places));
    if (rated.status === 'rejected') throw rated.reason;
    throw new TokenRateLimitExceeded(rated.value!);
  }

  /**
   * Frees the place of a call that has entered, and counts the tokens that it has used. Undefined means that nobody
   * knows them: then the most counts that it may have used. It never throws, because all of it also expires by itself.
   */
  async leave(org: OrgMembership, { id, tokens }: AdmittedCall, used: number | undefined): Promise<void> {
    await Promise.all([
      this.concurrency.end({ name: NAME }, org.id, id),
      ...(used === undefined ? [] : [this.rates.correct(rateOf(org), { taken: tokens, used })]),
    ]);
  }

  private noPlaceOf(limit: number): LimitFacts {
    return {
      policy: 'ai_concurrency',
      limit,
      remaining: 0,
      resetsAt: new Date(this.clock.now().getTime() + RETRY_AFTER_SECONDS * 1_000),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      upgradeUrl: this.planSettings.pricingUrl,
    };
  }
}

const rateOf = ({ id, plan }: OrgMembership): TokenRate => ({
  orgId: id,
  tokensPerMinute: PLANS[plan].ai.tokensPerMinute,
});
