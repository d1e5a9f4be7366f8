import { Injectable } from '@nestjs/common';
import type { PlanId } from '../plans/plan.js';
import { OrganizationsStore } from './persistence/organizations.store.js';
import { OrgEpochs } from './organizations/org-epochs.js';

/** An organization as its bills name it. */
export interface BilledOrg {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: PlanId;
  readonly createdAt: Date;
  /** Null for one that is there. */
  readonly deletedAt: Date | null;
}

/** The plans of organizations, for who sells them. */
@Injectable()
export class OrgPlans {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: OrgEpochs,
  ) {}

  /** Null for one that never was; one that was deleted is still billed for what it used. */
  async find(orgId: string): Promise<BilledOrg | null> {
    return (await this.organizations.find(orgId)) ?? null;
  }

  /** {@link find} for several, in the order of their ids. */
  findAll(orgIds: readonly string[]): Promise<BilledOrg[]> {
    return this.organizations.findAll(orgIds);
  }

  /** As {@link find}, locked until the running transaction ends; null for one that was deleted too. */
  async lock(orgId: string): Promise<BilledOrg | null> {
    return (await this.organizations.lock(orgId)) ?? null;
  }

  /**
   * Gives the organization another plan with the running transaction. The next call of any of its members after the
   * commit has the limits and features of that plan, in every process.
   */
  async change(orgId: string, plan: PlanId, at: Date): Promise<void> {
    await this.organizations.setPlan(orgId, plan, at);
    await this.epochs.raise(orgId);
  }

  /**
   * Organizations that were there before a time, those that were deleted since among them, in the order of their ids.
   */
  madeBefore(time: Date, after: string, limit: number): Promise<BilledOrg[]> {
    return this.organizations.madeBefore(time, after, limit);
  }
}
