import { Injectable } from '@nestjs/common';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Plan, PLANS } from '../../plans/plan.js';

/** What the servers of an organization may use. */
export type AppAllowance = Plan['apps'];

@Injectable()
export class AppAllowances {
  constructor(private readonly orgs: OrgDirectory) {}

  /** By the plan that the organization has now; a deleted one, whose apps end soon, has that of the smallest. */
  async of(orgId: string): Promise<AppAllowance> {
    return PLANS[(await this.orgs.planOf(orgId)) ?? 'free'].apps;
  }
}
