import type { BilledTo } from '../domain/billed-to.js';
import type { ModelPolicy } from '../domain/model-policy.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { RoutePlan } from '../routing/route-plan.js';

/** What an organization has set for its calls, at the time of a call. */
export interface OrgRules {
  readonly policy: ModelPolicy;
  /** The keys of the organization, by the routers that take them. */
  readonly apiKeys: ReadonlyMap<string, string>;
}

export const apiKeyFor = ({ apiKeys }: OrgRules, { router }: Pick<OfferedModel, 'router'>): string | undefined =>
  apiKeys.get(router);

/** The first model of a plan decides who pays for the call. */
export const billedTo = (rules: OrgRules, { models }: RoutePlan): BilledTo =>
  apiKeyFor(rules, models[0]) === undefined ? 'credits' : 'organization';

/** Leaves out the fallbacks that another account would pay for than the first model. */
export function withOnePayer(rules: OrgRules, plan: RoutePlan): RoutePlan {
  const [first, ...others] = plan.models;
  const isOwn = (model: OfferedModel): boolean => apiKeyFor(rules, model) !== undefined;
  return { ...plan, models: [first, ...others.filter((model) => isOwn(model) === isOwn(first))] };
}
