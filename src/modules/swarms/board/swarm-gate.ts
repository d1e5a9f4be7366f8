import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { requireFeature } from '../../plans/feature-not-in-plan.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';

/** Allows swarms only in plans that include them. After a downgrade they are kept, but nothing new begins. */
@Injectable()
export class SwarmGate {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly orgs: OrgDirectory,
  ) {}

  /** @throws {FeatureNotInPlan} `feature_not_in_plan` */
  async require(orgId: string): Promise<void> {
    const plan = PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
    requireFeature('swarms_and_cron', plan, this.planSettings.pricingUrl);
  }

  /** Locks the organization in the running transaction. @throws {FeatureNotInPlan} `feature_not_in_plan` */
  async lock(call: Call, orgId: string): Promise<void> {
    const plan = PLANS[await this.orgs.lockAndGetPlan(call, orgId)];
    requireFeature('swarms_and_cron', plan, this.planSettings.pricingUrl);
  }

  /** Returns those of the organizations whose plan includes swarms. Deleted ones are left out. */
  async allowed(orgIds: readonly string[]): Promise<ReadonlySet<string>> {
    const plans = await this.orgs.plansOf([...new Set(orgIds)]);
    return new Set([...plans].filter(([, plan]) => PLANS[plan].features.swarms_and_cron).map(([orgId]) => orgId));
  }
}
