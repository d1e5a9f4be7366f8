import { DomainError } from '../../platform/errors/domain-error.js';
import { type Plan, PLAN_IDS, type PlanFeature, PLANS } from './plan.js';
import { PLAN_ERRORS } from './plans.errors.js';

const SUBJECTS: Readonly<Record<PlanFeature, string>> = {
  production_deploys: 'Production deploys are',
  open_build_network: 'Builds that reach the whole internet are',
  swarms_and_cron: 'Agent swarms and cron are',
  sso: 'SSO is',
  wildcard_domains: 'Wildcard domains are',
};

/** The plan of the organization does not include the feature (service document §8). */
export class FeatureNotInPlan extends DomainError {
  constructor(feature: PlanFeature, { id, name }: Plan, upgradeUrl: string) {
    const first = PLAN_IDS.map((planId) => PLANS[planId]).find(({ features }) => features[feature])!;
    super(PLAN_ERRORS.feature_not_in_plan, `${SUBJECTS[feature]} not included in the ${name} plan.`, {
      hint: `Upgrade to the ${first.name} plan or a larger one at ${upgradeUrl}`,
      details: { feature, plan: id, smallest_plan: first.id },
    });
  }
}

/** @throws {FeatureNotInPlan} `feature_not_in_plan` */
export function requireFeature(feature: PlanFeature, plan: Plan, upgradeUrl: string): void {
  if (!plan.features[feature]) throw new FeatureNotInPlan(feature, plan, upgradeUrl);
}
