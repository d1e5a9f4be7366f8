import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { ProjectSlugTaken } from '../projects.errors.js';
import { repositoryKeyOf } from '../repository-key.js';
import { Project } from './project.entity.js';

/** Whose projects may be named. */
export interface ProjectReach {
  /** By id: those of all of these organizations. */
  readonly orgIds: readonly string[];
  /** By slug: those of this one. */
  readonly orgId: string;
}

/** Ids and slugs; the database is not asked for what it could not even hold. */
const CAN_NAME = /^[a-z0-9_-]{1,63}$/;

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

  /** The organization of each project by id, deleted projects included. */
  async ownersOf(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.manager.query<{ id: string; org_id: string }[]>(
      'SELECT id, org_id FROM projects WHERE id = ANY($1)',
      [ids],
    );
    return new Map(rows.map(({ id, org_id }) => [id, org_id]));
  }

  /** By id or slug. Null for one that is out of reach or deleted, as for one that never was. */
  async find(named: string, reach: ProjectReach): Promise<Project | null> {
    return CAN_NAME.test(named) ? this.named(named, reach).getOne() : null;
  }

  /** As {@link find}, and nobody else changes it until the transaction ends. */
  async findForChange(named: string, reach: ProjectReach): Promise<Project | null> {
    return CAN_NAME.test(named) ? this.named(named, reach).setLock('pessimistic_write').getOne() : null;
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

  /** Newest first. */
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

  /** Of these, those that are not deleted, with the organization of each. */
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

  private named(named: string, { orgIds, orgId }: ProjectReach): SelectQueryBuilder<Project> {
    // No slug looks like an id: that has an underscore.
    return this.live().andWhere(
      'project.org_id = ANY(:orgIds) AND (project.id = :named OR (project.slug = :named AND project.org_id = :orgId))',
      { orgIds, orgId, named },
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
