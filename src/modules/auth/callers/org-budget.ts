import { type PlanId, PLANS } from '../../plans/plan.js';
import type { BudgetAccount } from '../../limits/budget-account.js';
import type { Tier } from '../../limits/tier.js';
import type { OrgMembership, Principal } from '../principal.js';

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

/** A page makes many small calls at once, and a person at most a few pages. */
const PAGE_CALLS_PER_SECOND = 50;

/**
 * The budget belongs to the organization and not to the key, so that more keys do not allow more calls. Pages of this
 * service have a limit for each person, and leave the daily budget to keys.
 */
export function budgetAccountOf({ id, plan }: OrgMembership, { user, credential }: Principal): BudgetAccount {
  const tier = TIERS[plan];
  if (credential.type !== 'session' || !credential.inCookie) return { key: id, tier, circles: [] };
  return {
    key: id,
    tier: { ...tier, callsPerSecond: PAGE_CALLS_PER_SECOND },
    circles: [],
    burstOnly: `page:${user.id}`,
  };
}
