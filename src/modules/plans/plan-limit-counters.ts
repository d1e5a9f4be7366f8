import { Injectable } from '@nestjs/common';
import { type Plan, storedBytesOf } from './plan.js';

/** Limits for an organization as a whole, and where the plan defines them. */
const LIMITS = {
  projects: (plan: Plan) => plan.limits.projects,
  agents: (plan: Plan) => plan.limits.agents,
  repositories: (plan: Plan) => plan.repositories,
  bytes_in_deploys: storedBytesOf,
  databases: (plan: Plan) => plan.databases.count,
  buckets: (plan: Plan) => plan.storage.buckets,
  bytes_in_buckets: (plan: Plan) => plan.storage.gigabytes * 1e9,
} as const satisfies Readonly<Record<string, (plan: Plan) => number | null>>;

/** What a smaller plan pauses or leaves as it is. Having more of it keeps no organization from that plan. */
const PAUSED: readonly string[] = ['agents', 'databases'];

export type PlanLimit = keyof typeof LIMITS;
export const PLAN_LIMITS = Object.keys(LIMITS) as readonly PlanLimit[];

/** Counts what an organization uses. The caller may have locked the organization inside a transaction. */
export type PlanLimitCounter = (orgId: string) => Promise<number>;

/** How much of a limit is used. A limit of null means unlimited. */
export interface LimitUse {
  readonly limit: PlanLimit;
  readonly allowed: number | null;
  readonly used: number;
}

export interface LimitExcess extends LimitUse {
  readonly allowed: number;
}

/** The module that owns what a limit counts registers a counter for it, so that billing depends on no product. */
@Injectable()
export class PlanLimitCounters {
  private readonly counters = new Map<PlanLimit, PlanLimitCounter>();

  /** @throws {Error} when the limit has a counter already. */
  register(limit: PlanLimit, counter: PlanLimitCounter): void {
    if (this.counters.has(limit)) throw new Error(`Two counters are registered for the plan limit ${limit}.`);
    this.counters.set(limit, counter);
  }

  /** @throws {Error} when a limit has no counter: a module is missing in this process. */
  requireComplete(): void {
    for (const limit of PLAN_LIMITS) this.counterOf(limit);
  }

  /** Returns how much of the limit the organization uses. */
  async used(limit: PlanLimit, orgId: string): Promise<number> {
    return this.counterOf(limit)(orgId);
  }

  /** Returns every limit of the plan with what the organization uses of it. */
  async usedOf(plan: Plan, orgId: string): Promise<LimitUse[]> {
    const uses: LimitUse[] = [];
    for (const limit of PLAN_LIMITS)
      uses.push({ limit, allowed: LIMITS[limit](plan), used: await this.used(limit, orgId) });
    return uses;
  }

  /** Returns the limits of the plan that the organization exceeds, without those that do not keep it from the plan. */
  async exceeded(plan: Plan, orgId: string): Promise<LimitExcess[]> {
    return (await this.usedOf(plan, orgId)).filter(
      (use): use is LimitExcess => use.allowed !== null && use.used > use.allowed && !PAUSED.includes(use.limit),
    );
  }

  private counterOf(limit: PlanLimit): PlanLimitCounter {
    const counter = this.counters.get(limit);
    if (counter === undefined) throw new Error(`No counter is registered for the plan limit ${limit}.`);
    return counter;
  }
}
