import { type PlanId, PLANS } from '../../plans/plan.js';
import type { BudgetAccount } from '../../limits/budget-account.js';
import type { Tier } from '../../limits/tier.js';
import type { OrgMembership } from '../principal.js';

const tierOf = (plan: PlanId): Tier => ({
  name: plan,
  callsPerDay: PLANS[plan].limits.callsPerDay,
  callsPerSecond: PLANS[plan].callsPerSecond,
});

const TIERS: Readonly<Record<PlanId, Tier>> = {
  free: tierOf('free'),
  builder: tierOf('builder'),
  pro: tierOf('pro'),
  enterprise: tierOf('enterprise'),
};

/** The budget belongs to the organization and not to the key, so that more keys do not allow more calls. */
export const budgetAccountOf = ({ id, plan }: OrgMembership): BudgetAccount => ({
  key: id,
  tier: TIERS[plan],
  circles: [],
});
