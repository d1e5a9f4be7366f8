import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { FeatureNotInPlan, requireFeature } from '../../plans/feature-not-in-plan.js';
import { type Plan, PLANS } from '../../plans/plan.js';
import { DeployFailed } from './deploy-failure.js';

/**
 * Production is for those whose plan has it. It is asked when a deploy is requested, and again whenever production
 * moves.
 */
@Injectable()
export class ProductionGate {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly owners: OrgDirectory,
  ) {}

  /**
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async requireCaller({ principal }: Call, orgId: string): Promise<void> {
    principal.require('deploys:production', orgId);
    requireFeature('production_deploys', await this.planOf(orgId), this.planSettings.pricingUrl);
  }

  /** @throws {DeployFailed} `feature_not_in_plan` */
  async requirePlan(orgId: string): Promise<void> {
    try {
      requireFeature('production_deploys', await this.planOf(orgId), this.planSettings.pricingUrl);
    } catch (error) {
      throw error instanceof FeatureNotInPlan
        ? new DeployFailed(error.code, `${error.message} ${error.help.hint ?? ''}`)
        : error;
    }
  }

  async allows(orgId: string): Promise<boolean> {
    return (await this.planOf(orgId)).features.production_deploys;
  }

  /** An organization that was deleted has what the smallest has. */
  async planOf(orgId: string): Promise<Plan> {
    return PLANS[(await this.owners.planOf(orgId)) ?? 'free'];
  }
}
