import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { ProjectSlugTaken } from '../projects.errors.js';
import { repositoryKeyOf } from '../repository-key.js';
import { Project } from './project.entity.js';

/** The organizations whose projects a caller can address. */
export interface ProjectReach {
  /** Projects of these organizations can be addressed by id. */
  readonly orgIds: readonly string[];
  /** Projects of this organization can be addressed by slug as well. */
  readonly orgId: string;
}

/** The form of ids and slugs. Other texts cannot match any project and are not sent to the database. */
const ID_OR_SLUG_FORM = /^[a-z0-9_-]{1,63}$/;

const SLUG_CONSTRAINT = 'projects_slug_unique';

@Injectable()
export class ProjectsStore {
  constructor(private readonly database: Database) {}

  /** @throws {ProjectSlugTaken} `already_exists` */
  async insert(project: Project): Promise<void> {
    await translated(project.slug, this.database.manager.insert(Project, project));
  }

  /** @throws {ProjectSlugTaken} `already_exists` */
  async save({ id, ...changed }: Project): Promise<void> {
    await translated(changed.slug, this.database.manager.update(Project, { id }, changed));
  }

  /** Returns the organization of each project by id, including deleted projects. */
  async ownersOf(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.manager.query<{ id: string; org_id: string }[]>(
      'SELECT id, org_id FROM projects WHERE id = ANY($1)',
      [ids],
    );
    return new Map(rows.map(({ id, org_id }) => [id, org_id]));
  }

  /**
   * Finds a project by id or slug. Returns null for a project out of reach or deleted, as for one that never existed.
   */
  async find(idOrSlug: string, reach: ProjectReach): Promise<Project | null> {
    return ID_OR_SLUG_FORM.test(idOrSlug) ? this.addressedBy(idOrSlug, reach).getOne() : null;
  }

  /** Finds like {@link find}, and locks the project until the transaction ends. */
  async findForChange(idOrSlug: string, reach: ProjectReach): Promise<Project | null> {
    return ID_OR_SLUG_FORM.test(idOrSlug)
      ? this.addressedBy(idOrSlug, reach).setLock('pessimistic_write').getOne()
      : null;
  }

  findById(id: string): Promise<Project | null> {
    return this.live().andWhere('project.id = :id', { id }).getOne();
  }

  findByIdForChange(id: string): Promise<Project | null> {
    return this.live().andWhere('project.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  linkedTo(orgId: string, repoUrl: string): Promise<Project[]> {
    const sameUrl = "lower(regexp_replace(project.repo_url, '\\.git$', '')) = :same";
    return this.live()
      .andWhere(`project.org_id = :orgId AND ${sameUrl}`, { orgId, same: repositoryKeyOf(repoUrl) })
      .orderBy('project.id')
      .getMany();
  }

  /** Returns the newest projects first. */
  async list(orgId: string, page: PageRequest): Promise<Page<Project>> {
    const query = this.live()
      .andWhere('project.org_id = :orgId', { orgId })
      .orderBy('project.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('project.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  count(orgId: string): Promise<number> {
    return this.live().andWhere('project.org_id = :orgId', { orgId }).getCount();
  }

  async idsOf(orgId: string): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      'SELECT id FROM projects WHERE org_id = $1 AND deleted_at IS NULL ORDER BY id',
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the projects among these that are not deleted, with the organization of each. */
  async orgsOf(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.manager.query<{ id: string; org_id: string }[]>(
      'SELECT id, org_id FROM projects WHERE id = ANY($1) AND deleted_at IS NULL',
      [ids],
    );
    return new Map(rows.map(({ id, org_id: orgId }) => [id, orgId]));
  }

  async slugsOf(orgId: string): Promise<ReadonlySet<string>> {
    const rows = await this.database.manager.query<{ slug: string }[]>(
      'SELECT slug FROM projects WHERE org_id = $1 AND deleted_at IS NULL',
      [orgId],
    );
    return new Set(rows.map(({ slug }) => slug));
  }

  private addressedBy(idOrSlug: string, { orgIds, orgId }: ProjectReach): SelectQueryBuilder<Project> {
    // A slug cannot be mistaken for an id, which contains an underscore.
    return this.live().andWhere(
      `project.org_id = ANY(:orgIds)
       AND (project.id = :idOrSlug OR (project.slug = :idOrSlug AND project.org_id = :orgId))`,
      { orgIds, orgId, idOrSlug },
    );
  }

  private live(): SelectQueryBuilder<Project> {
    return this.database.manager.createQueryBuilder(Project, 'project').where('project.deleted_at IS NULL');
  }
}

async function translated(slug: string, statement: Promise<unknown>): Promise<void> {
  try {
    await statement;
  } catch (error) {
    throw violatedConstraintOf(error) === SLUG_CONSTRAINT ? new ProjectSlugTaken(slug) : error;
  }
}
