import { Injectable } from '@nestjs/common';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Plan, PLANS } from '../../plans/plan.js';

/** The limits of an organization's app servers. */
export type AppAllowance = Plan['apps'];

@Injectable()
export class AppAllowances {
  constructor(private readonly orgs: OrgDirectory) {}

  /** Follows the current plan. A deleted organization, whose apps end soon, has the limits of the smallest plan. */
  async of(orgId: string): Promise<AppAllowance> {
    return PLANS[(await this.orgs.planOf(orgId)) ?? 'free'].apps;
  }
}
