import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { freeSlugOf } from '../../../platform/text/slug.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { requireFeature } from '../../plans/feature-not-in-plan.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import type { CreateProjectInput, UpdateProjectInput } from '../domain/write-inputs.js';
import { Project } from '../persistence/project.entity.js';
import { ProjectsStore } from '../persistence/projects.store.js';
import { TooManyProjects } from '../projects.errors.js';
import { PROJECT_ID } from '../projects.ids.js';

/** Adds projects within the limit of the plan, chooses their slugs, and checks their settings against the plan. */
@Injectable()
export class ProjectRegistry {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly projects: ProjectsStore,
    private readonly directory: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a project to the organization of the call, in the running transaction. It counts and chooses a slug under the
   * lock of the organization, so that concurrent creations see each other.
   *
   * @throws {TooManyProjects} `plan_limit_reached`
   * @throws {ProjectSlugTaken} `already_exists`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async add(call: Call, input: CreateProjectInput): Promise<Project> {
    const orgId = call.org.id;
    await this.requireRoom(call, orgId);
    await this.requireInPlan(orgId, input);
    const slug =
      input.slug ?? freeSlugOf(input.name, { taken: await this.projects.slugsOf(orgId), otherwise: 'project' });
    const project = Project.create({ ...input, slug }, { id: this.ids.next(PROJECT_ID), orgId, at: this.clock.now() });
    await this.projects.insert(project);
    return project;
  }

  /**
   * Refuses settings that the plan of the organization does not include.
   *
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async requireInPlan(orgId: string, { buildNetwork }: Pick<UpdateProjectInput, 'buildNetwork'>): Promise<void> {
    if (buildNetwork !== 'open') return;
    const plan = PLANS[(await this.directory.planOf(orgId)) ?? 'free'];
    requireFeature('open_build_network', plan, this.planSettings.pricingUrl);
  }

  private async requireRoom(call: Call, orgId: string): Promise<void> {
    const plan = PLANS[await this.directory.lockAndGetPlan(call, orgId)];
    const limit = plan.limits.projects;
    if (limit !== null && (await this.projects.count(orgId)) >= limit)
      throw new TooManyProjects(plan, limit, this.planSettings.pricingUrl);
  }
}
