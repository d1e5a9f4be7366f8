import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { monthOf } from '../metering/month.js';
import type { Meter } from '../metering/meter.js';
import { OrgPlans } from '../orgs/org-plans.js';
import { PLANS } from '../plans/plan.js';
import { PlansSettings } from '../plans/plans.settings.js';
import { CreditsExhausted, SpendCapReached } from './credits.errors.js';
import type { Purse } from './purse/purse.js';
import { PursesService } from './purse/purses.service.js';

/** The least that usage costs. */
const LEAST_NANO = 1n;

/**
 * Decides whether organizations may use more of what is charged afterwards, such as stored bytes. Nothing is held:
 * credits that running work holds count as there.
 */
@Injectable()
export class UsageAllowanceService {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly purses: PursesService,
    private readonly plans: OrgPlans,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async require(orgId: string, meter: Meter): Promise<void> {
    const refusal = await this.refusalOf(orgId, meter);
    if (refusal !== undefined) throw refusal;
  }

  /** Returns what {@link require} throws, for callers that remember it for a while. */
  async refusalOf(orgId: string, meter: Meter): Promise<CreditsExhausted | SpendCapReached | undefined> {
    const refused = (await this.refusals([orgId], meter)).get(orgId);
    if (refused === undefined) return undefined;
    const shortfall = { requiredNano: LEAST_NANO, availableNano: 0n, upgradeUrl: this.planSettings.pricingUrl };
    return refused.capNano === undefined
      ? new CreditsExhausted(shortfall)
      : new SpendCapReached(shortfall, refused.capNano);
  }

  /** Returns those of the organizations that may use no more of the meter. Deleted ones are among them. */
  async exhausted(orgIds: readonly string[], meter: Meter): Promise<ReadonlySet<string>> {
    return new Set((await this.refusals(orgIds, meter)).keys());
  }

  private async refusals(
    orgIds: readonly string[],
    meter: Meter,
  ): Promise<ReadonlyMap<string, { readonly capNano: bigint | undefined }>> {
    const at = this.clock.now();
    const orgs = (await this.plans.findAll(orgIds)).filter(({ deletedAt }) => deletedAt === null);
    const isBilled = new Map(orgs.map(({ id, plan }) => [id, PLANS[plan].billsUsage]));
    return this.purses.change({ orgIds: [...isBilled.keys()], times: [at] }, (session) => {
      const refused = new Map<string, { capNano: bigint | undefined }>();
      for (const orgId of orgIds) {
        if (!isBilled.has(orgId)) {
          refused.set(orgId, { capNano: undefined });
          continue;
        }
        const purse = session.purse(orgId);
        if (hasCredits(purse, meter, at)) continue;
        if (isBilled.get(orgId) === false) refused.set(orgId, { capNano: undefined });
        else if (purse.capNano !== null && billedIn(purse, at) >= purse.capNano)
          refused.set(orgId, { capNano: purse.capNano });
      }
      return refused;
    });
  }
}

const hasCredits = ({ grants }: Purse, meter: Meter, at: Date): boolean =>
  grants.some(
    ({ remainingNano, expiresAt, appliesTo }) =>
      remainingNano > 0n && (expiresAt === null || expiresAt > at) && (appliesTo === null || appliesTo.includes(meter)),
  );

const billedIn = ({ months }: Purse, at: Date): bigint => months.get(monthOf(at).name)?.postedNano ?? 0n;
