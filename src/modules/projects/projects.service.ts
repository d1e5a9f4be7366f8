import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { OrgDirectory } from '../orgs/org-directory.js';
import type { Scope } from '../auth/scopes.js';
import type { CreateProjectInput, UpdateProjectInput } from './domain/write-inputs.js';
import type { Project } from './persistence/project.entity.js';
import { ProjectEnvStore } from './persistence/project-env.store.js';
import { type ProjectReach, ProjectsStore } from './persistence/projects.store.js';
import { projectDeletedEvent } from './project-deleted.job.js';
import { ProjectRegistry } from './registry/project-registry.js';
import { ProjectNotFound } from './projects.errors.js';

export type { Project };
export type { CreateProjectInput, UpdateProjectInput };

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsStore,
    private readonly registry: ProjectRegistry,
    private readonly env: ProjectEnvStore,
    private readonly owners: OrgDirectory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a project in the organization of the call.
   *
   * @throws {TooManyProjects} `plan_limit_reached`
   * @throws {ProjectSlugTaken} `already_exists`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  create(call: Call, input: CreateProjectInput): Promise<Project> {
    return this.database.transaction(async () => {
      const project = await this.registry.add(call, input);
      await this.record(call, 'project.created', project, { name: project.name, slug: project.slug });
      return project;
    });
  }

  /** Returns the projects of the organization of the call, newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<Project>> {
    return this.projects.list(org.id, page);
  }

  /**
   * Returns a project by id, or by slug within the organization of the call. The caller needs this scope in the
   * organization of the project.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, idOrSlug: string, scope: Scope): Promise<Project> {
    return allowed(call, await this.projects.find(idOrSlug, reachOf(call)), scope);
  }

  /** For background work without a caller. Returns null for a deleted project, as for one that never existed. */
  find(id: string): Promise<Project | null> {
    return this.projects.findById(id);
  }

  /** Finds like {@link find}, and locks the project until the running transaction ends. */
  findAndLock(id: string): Promise<Project | null> {
    return this.projects.findByIdForChange(id);
  }

  /** Returns the ids of the projects of an organization, which may be deleted. For background work without a caller. */
  idsOf(orgId: string): Promise<string[]> {
    return this.projects.idsOf(orgId);
  }

  /**
   * Returns the ids among these whose project, or whose organization, was deleted. For background work without a
   * caller.
   */
  async findDeletedIds(ids: readonly string[]): Promise<string[]> {
    const orgs = await this.projects.orgsOf(ids);
    const plans = await this.owners.plansOf([...new Set(orgs.values())]);
    return ids.filter((id) => !plans.has(orgs.get(id) ?? ''));
  }

  /** Returns the projects of the organization that this repository is linked to, oldest first. */
  linkedTo(orgId: string, repoUrl: string): Promise<Project[]> {
    return this.projects.linkedTo(orgId, repoUrl);
  }

  /** Gets like {@link get}, and locks the project until the running transaction ends. */
  async lock(call: Call, idOrSlug: string, scope: Scope): Promise<Project> {
    return allowed(call, await this.projects.findForChange(idOrSlug, reachOf(call)), scope);
  }

  /**
   * @throws as {@link get}.
   * @throws {ProjectSlugTaken} `already_exists`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  change(call: Call, idOrSlug: string, change: UpdateProjectInput): Promise<Project> {
    return this.database.transaction(async () => {
      // Creations choose free slugs under the lock of the organization, which is always taken before that of the
      // project.
      if (change.slug !== undefined)
        await this.owners.lockAndGetPlan(call, (await this.get(call, idOrSlug, 'projects:write')).orgId);
      const project = await this.lock(call, idOrSlug, 'projects:write');
      await this.registry.requireInPlan(project.orgId, change);
      const changed = project.change(change, this.clock.now());
      if (changed.length === 0) return project;
      await this.projects.save(project);
      await this.record(call, 'project.changed', project, { changed: changed.map(fieldOf) });
      return project;
    });
  }

  /**
   * Deletes the project and its environment variables permanently, and releases its slug. Other modules remove their
   * data for it soon after.
   *
   * @throws as {@link get}.
   */
  delete(call: Call, idOrSlug: string): Promise<void> {
    return this.database.transaction(async () => {
      const project = await this.lock(call, idOrSlug, 'projects:delete');
      await this.remove(project);
      await this.record(call, 'project.deleted', project, { name: project.name, slug: project.slug });
    });
  }

  /** Deletes a project whose organization was deleted. A project that was deleted already stays as it is. */
  async deleteOfDeletedOrg(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const project = await this.projects.findByIdForChange(id);
      if (project !== null) await this.remove(project);
    });
  }

  private async remove(project: Project): Promise<void> {
    project.delete(this.clock.now());
    await this.projects.save(project);
    await this.env.removeAll(project.id);
    await this.outbox.publish(projectDeletedEvent, { projectId: project.id });
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

/** Converts to the name in the API, such as `repo_url`. */
const fieldOf = (name: keyof UpdateProjectInput): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const reachOf = ({ principal, org }: Call): ProjectReach => ({ orgIds: principal.lookupOrgIds, orgId: org.id });

function allowed({ principal }: Call, project: Project | null, scope: Scope): Project {
  if (project === null) throw new ProjectNotFound();
  principal.require(scope, project.orgId);
  return project;
}
