import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../plans/plans.settings.js';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Ids } from '../../platform/ids/ids.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { OrgDirectory } from '../orgs/org-directory.js';
import type { Scope } from '../auth/scopes.js';
import { PLANS } from '../plans/plan.js';
import { Project, type Settings } from './persistence/project.entity.js';
import { ProjectEnvStore } from './persistence/project-env.store.js';
import { type ProjectReach, ProjectsStore } from './persistence/projects.store.js';
import { projectDeletedEvent } from './project-deleted.job.js';
import { freeSlugOf } from './domain/project-slug.js';
import { ProjectNotFound, TooManyProjects } from './projects.errors.js';
import { PROJECT_ID } from './projects.ids.js';

export type { Project };

/** What is left out stays as it is; null clears. */
export type ProjectChange = Partial<Settings>;

/** What is left out gets its default; the slug is made from the name. */
export type CreateProjectInput = ProjectChange & Pick<Settings, 'name'>;

@Injectable()
export class ProjectsService {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly database: Database,
    private readonly projects: ProjectsStore,
    private readonly env: ProjectEnvStore,
    private readonly owners: OrgDirectory,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a project of the organization of the call.
   *
   * @throws {TooManyProjects} `plan_limit_reached`
   * @throws {ProjectSlugTaken} `already_exists`
   */
  create(call: Call, page: CreateProjectInput): Promise<Project> {
    const orgId = call.org.id;
    return this.database.transaction(async () => {
      await this.requireRoom(call, orgId);
      const slug = page.slug ?? freeSlugOf(page.name, await this.projects.slugsOf(orgId));
      const project = Project.create({ ...page, slug }, { id: this.ids.next(PROJECT_ID), orgId, at: this.clock.now() });
      await this.projects.insert(project);
      await this.record(call, 'project.created', project, { name: project.name, slug: project.slug });
      return project;
    });
  }

  /** Those of the organization of the call, the newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<Project>> {
    return this.projects.list(org.id, page);
  }

  /**
   * By id, or by slug within the organization of the call, for somebody who has this right in the project's
   * organization.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, named: string, scope: Scope): Promise<Project> {
    return allowed(call, await this.projects.find(named, reachOf(call)), scope);
  }

  /** For work that no caller waits for. Null for one that is deleted, as for one that never was. */
  find(id: string): Promise<Project | null> {
    return this.projects.findById(id);
  }

  /** As {@link find}, and nobody else changes it until the running transaction ends. */
  findAndLock(id: string): Promise<Project | null> {
    return this.projects.findByIdForChange(id);
  }

  /** Of all of an organization, also of one that is deleted. For work that no caller waits for. */
  idsOf(orgId: string): Promise<string[]> {
    return this.projects.idsOf(orgId);
  }

  /** Of these, those that were deleted, or whose organization was. For work that no caller waits for. */
  async goneOf(ids: readonly string[]): Promise<string[]> {
    const orgs = await this.projects.orgsOf(ids);
    const plans = await this.owners.plansOf([...new Set(orgs.values())]);
    return ids.filter((id) => !plans.has(orgs.get(id) ?? ''));
  }

  /** Those of the organization that this repository is linked to, the oldest first. */
  linkedTo(orgId: string, repoUrl: string): Promise<Project[]> {
    return this.projects.linkedTo(orgId, repoUrl);
  }

  /** As {@link get}, and nobody else changes it until the running transaction ends. */
  async lock(call: Call, named: string, scope: Scope): Promise<Project> {
    return allowed(call, await this.projects.findForChange(named, reachOf(call)), scope);
  }

  /**
   * @throws as {@link get}.
   * @throws {ProjectSlugTaken} `already_exists`
   */
  change(call: Call, named: string, change: ProjectChange): Promise<Project> {
    return this.database.transaction(async () => {
      // Under this lock creations choose slugs that are free; it is taken before that of the project.
      if (change.slug !== undefined)
        await this.owners.lockAndGetPlan(call, (await this.get(call, named, 'projects:write')).orgId);
      const project = await this.lock(call, named, 'projects:write');
      const changed = project.change(change, this.clock.now());
      if (changed.length === 0) return project;
      await this.projects.save(project);
      await this.record(call, 'project.changed', project, { changed: changed.map(fieldOf) });
      return project;
    });
  }

  /**
   * For good, with its environment variables; its slug is free. What others keep of it goes soon after. @throws as
   * {@link get}.
   */
  delete(call: Call, named: string): Promise<void> {
    return this.database.transaction(async () => {
      const project = await this.lock(call, named, 'projects:delete');
      project.delete(this.clock.now());
      await this.projects.save(project);
      await this.env.removeAll(project.id);
      await this.outbox.publish(projectDeletedEvent, { projectId: project.id });
      await this.record(call, 'project.deleted', project, { name: project.name, slug: project.slug });
    });
  }

  /** Under the lock of the organization, so that of creations at once each counts those before it. */
  private async requireRoom(call: Call, orgId: string): Promise<void> {
    const plan = PLANS[await this.owners.lockAndGetPlan(call, orgId)];
    const limit = plan.limits.projects;
    if (limit !== null && (await this.projects.count(orgId)) >= limit)
      throw new TooManyProjects(plan, limit, this.planSettings.pricingUrl);
  }

  private record(
    call: Call,
    action: `project.${string}`,
    { id, orgId }: Project,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.owners.record({ orgId, action, target: { type: 'project', id }, details }, call);
  }
}

/** `repo_url`: what the API calls it. */
const fieldOf = (name: keyof ProjectChange): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const reachOf = ({ principal, org }: Call): ProjectReach => ({ orgIds: principal.orgIds, orgId: org.id });

function allowed({ principal }: Call, project: Project | null, scope: Scope): Project {
  if (project === null) throw new ProjectNotFound();
  principal.require(scope, project.orgId);
  return project;
}
