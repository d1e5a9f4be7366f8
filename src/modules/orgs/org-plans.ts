import { Injectable } from '@nestjs/common';
import { Outbox } from '../../platform/outbox/outbox.js';
import type { PlanId } from '../plans/plan.js';
import { orgPlanChangedEvent } from './org-plan-changed.job.js';
import { OrgEpochs } from './organizations/org-epochs.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** An organization with the facts that its invoices show. */
export interface BilledOrg {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: PlanId;
  readonly createdAt: Date;
  /** The time of deletion, or null for an existing organization. */
  readonly deletedAt: Date | null;
}

/** Reads and changes the plans of organizations, for billing. */
@Injectable()
export class OrgPlans {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: OrgEpochs,
    private readonly outbox: Outbox,
  ) {}

  /** Returns null for an unknown id. A deleted organization is found, because it is still billed for its usage. */
  async find(orgId: string): Promise<BilledOrg | null> {
    return (await this.organizations.find(orgId)) ?? null;
  }

  /** {@link find} for several, in the order of their ids. */
  findAll(orgIds: readonly string[]): Promise<BilledOrg[]> {
    return this.organizations.findAll(orgIds);
  }

  /** {@link find} with a lock until the running transaction ends. It returns null for a deleted organization too. */
  async lock(orgId: string): Promise<BilledOrg | null> {
    return (await this.organizations.lock(orgId)) ?? null;
  }

  /**
   * Changes the plan in the running transaction. After the commit, the next call of any member has the limits and
   * features of that plan, in every process.
   */
  async change(orgId: string, plan: PlanId, at: Date): Promise<void> {
    await this.organizations.setPlan(orgId, plan, at);
    await this.epochs.raise(orgId);
    await this.outbox.publish(orgPlanChangedEvent, { orgId });
  }

  /** Lists organizations that were created before a time, deleted ones included, in the order of their ids. */
  createdBefore(time: Date, after: string, limit: number): Promise<BilledOrg[]> {
    return this.organizations.createdBefore(time, after, limit);
  }
}
