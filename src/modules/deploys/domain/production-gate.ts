import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { FeatureNotInPlan, requireFeature } from '../../plans/feature-not-in-plan.js';
import { type Plan, PLANS } from '../../plans/plan.js';
import type { Project } from '../../projects/projects.service.js';
import { DeployFailed } from './deploy-failure.js';
import type { DeployType } from './deploy-state.js';

/**
 * Allows production deploys only in plans that include them. It is checked when a deploy is requested, and again
 * whenever production moves, because the plan may have changed.
 */
@Injectable()
export class ProductionGate {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly orgs: OrgDirectory,
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

  /** The production branch goes to production if the plan includes it. Everything else becomes a preview. */
  async typeOf(
    { orgId, productionBranch }: Pick<Project, 'orgId' | 'productionBranch'>,
    branch: string,
  ): Promise<DeployType> {
    return branch === productionBranch && (await this.allows(orgId)) ? 'production' : 'preview';
  }

  /** A deleted organization counts as one on the smallest plan. */
  async planOf(orgId: string): Promise<Plan> {
    return PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
  }
}
