import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { requireFeature } from '../../plans/feature-not-in-plan.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import type { Allowance } from '../persistence/plan-pauses.store.js';
import { SchedulesStore } from '../persistence/schedules.store.js';
import { TooManySchedules } from '../schedules.errors.js';

/** Allows schedules only in plans that include them, and as many as the plan has. */
@Injectable()
export class ScheduleGate {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly orgs: OrgDirectory,
    private readonly schedules: SchedulesStore,
  ) {}

  /** @throws {FeatureNotInPlan} `feature_not_in_plan` */
  async require(orgId: string): Promise<void> {
    const plan = PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
    requireFeature('swarms_and_cron', plan, this.planSettings.pricingUrl);
  }

  /**
   * Counts under the lock of the organization, so that concurrent creations see each other.
   *
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {TooManySchedules} `plan_limit_reached`
   */
  async lockRoom(call: Call, orgId: string): Promise<void> {
    const plan = PLANS[await this.orgs.lockAndGetPlan(call, orgId)];
    requireFeature('swarms_and_cron', plan, this.planSettings.pricingUrl);
    if ((await this.schedules.count(orgId)) >= plan.schedules)
      throw new TooManySchedules(plan, this.planSettings.pricingUrl);
  }

  /** Returns those of the organizations whose plan includes schedules, in one query. Deleted ones are left out. */
  async allowed(orgIds: readonly string[]): Promise<ReadonlySet<string>> {
    const plans = await this.orgs.plansOf([...new Set(orgIds)]);
    return new Set([...plans].filter(([, plan]) => PLANS[plan].features.swarms_and_cron).map(([orgId]) => orgId));
  }

  /** Returns how many schedules each of the organizations may have. Deleted ones are left out. */
  async allowancesOf(orgIds: readonly string[]): Promise<Allowance[]> {
    return [...(await this.orgs.plansOf(orgIds))].map(([orgId, plan]) => ({
      orgId,
      allowed: PLANS[plan].features.swarms_and_cron ? PLANS[plan].schedules : 0,
    }));
  }
}
