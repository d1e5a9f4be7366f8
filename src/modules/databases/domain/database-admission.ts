import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { UsageAllowanceService } from '../../credits/usage-allowance.service.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { type PlanId, PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { DatabaseNameTaken, DatabaseNotFound, TooManyDatabases } from '../databases.errors.js';
import { ProjectNotFound } from '../../projects/projects.errors.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DatabasesStore } from '../persistence/databases.store.js';

/** Decides whether an organization may have one more database, and which project it may belong to. */
@Injectable()
export class DatabaseAdmission {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly databases: DatabasesStore,
    private readonly orgs: OrgDirectory,
    private readonly allowance: UsageAllowanceService,
    private readonly plans: OrgPlans,
    private readonly projects: ProjectsService,
  ) {}

  /**
   * Counts under the lock of the organization, so that concurrent creations see each other. The lock is always taken
   * before that of a database. Without a call, the service itself adds a database.
   *
   * @throws {TooManyDatabases} `plan_limit_reached`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async lockRoom(call: Call | undefined, orgId: string): Promise<void> {
    const plan = PLANS[await this.lockOrg(call, orgId)];
    if ((await this.databases.count(orgId)) >= plan.databases.count)
      throw new TooManyDatabases(plan, this.planSettings.pricingUrl);
    await this.allowance.require(orgId, 'database_storage');
  }

  /** Locks the organization, so that no creation takes a name meanwhile, and returns its plan. */
  async lockOrg(call: Call | undefined, orgId: string): Promise<PlanId> {
    if (call !== undefined) return this.orgs.lockAndGetPlan(call, orgId);
    const org = await this.plans.lock(orgId);
    if (org === null) throw new DatabaseNotFound();
    return org.plan;
  }

  /** @throws {DatabaseNameTaken} `already_exists` */
  async requireFreeName(orgId: string, name: string): Promise<void> {
    if (await this.databases.hasName(orgId, name)) throw new DatabaseNameTaken(name);
  }

  /**
   * Returns the id of a project of the organization, by its id or slug.
   *
   * @throws {ProjectNotFound} `project_not_found`
   */
  async projectIdOf(call: Call, orgId: string, idOrSlug: string, scope: Scope): Promise<string> {
    const project = await this.projects.get(call, idOrSlug, scope);
    if (project.orgId !== orgId) throw new ProjectNotFound();
    return project.id;
  }
}
