import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { requireFeature } from '../../plans/feature-not-in-plan.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';

/** Allows changes of SSO only in plans that include it. */
@Injectable()
export class SsoGate {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly orgs: OrgDirectory,
  ) {}

  /** @throws {FeatureNotInPlan} `feature_not_in_plan` */
  async require(orgId: string): Promise<void> {
    const plan = PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
    requireFeature('sso', plan, this.planSettings.pricingUrl);
  }

  /** Locks the organization in the running transaction. @throws {FeatureNotInPlan} `feature_not_in_plan` */
  async lock(call: Call, orgId: string): Promise<void> {
    const plan = PLANS[await this.orgs.lockAndGetPlan(call, orgId)];
    requireFeature('sso', plan, this.planSettings.pricingUrl);
  }
}
