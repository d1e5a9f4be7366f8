import { Injectable } from '@nestjs/common';
import { In, MoreThanOrEqual } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { LastDeploy } from '../../projects/last-deploys.js';
import { type DeployState, type DeployType, ACTIVE_STATES } from '../domain/deploy-state.js';
import { DeployEvent } from './deploy-event.entity.js';
import { Deploy } from './deploy.entity.js';

/** A filter for the deploys of a project. */
export interface DeployFilter {
  readonly branch?: string | undefined;
  readonly type?: DeployType | undefined;
  readonly state?: DeployState | undefined;
}

/** More deploys than the pushes of a few seconds start in some projects. */
const PUSHED_DEPLOYS = 200;

/** The condition of a change of state. Of two concurrent changes the first one wins. */
export interface From {
  readonly states: readonly DeployState[];
  /** Left out, the change applies to any attempt. */
  readonly attempt?: number | undefined;
}

export type DeployChange = Omit<QueryDeepPartialEntity<Deploy>, 'id'>;

@Injectable()
export class DeploysStore {
  constructor(private readonly database: Database) {}

  async insert(deploy: Deploy): Promise<void> {
    await this.database.manager.insert(Deploy, deploy);
  }

  get(id: string): Promise<Deploy> {
    return this.database.manager.findOneByOrFail(Deploy, { id });
  }

  /** Like {@link get}, and locks the deploy until the running transaction ends. */
  lock(id: string): Promise<Deploy> {
    return this.database.manager
      .createQueryBuilder(Deploy, 'deploy')
      .where('deploy.id = :id', { id })
      .setLock('pessimistic_write')
      .getOneOrFail();
  }

  /** Null if the deploy does not exist or belongs to an organization that is not in `orgIds`. */
  find(id: string, orgIds: readonly string[]): Promise<Deploy | null> {
    return this.database.manager
      .createQueryBuilder(Deploy, 'deploy')
      .where('deploy.id = :id AND deploy.org_id = ANY(:orgIds)', { id, orgIds })
      .getOne();
  }

  /** Returns the newest deploy of each project that has one. */
  lastOf(projectIds: readonly string[]): Promise<LastDeploy[]> {
    return this.database.manager.query<LastDeploy[]>(
      `
      SELECT last.* FROM unnest($1::text[]) AS project (id), LATERAL (
        SELECT id, project_id AS "projectId", state, type, branch, commit_sha AS "commitSha",
               commit_message AS "commitMessage", error_code AS "errorCode", created_at AS "createdAt",
               finished_at AS "finishedAt"
        FROM deploys WHERE project_id = project.id ORDER BY id DESC LIMIT 1) AS last`,
      [projectIds],
    );
  }

  /** Newest first. */
  async list(projectId: string, { branch, type, state }: DeployFilter, page: PageRequest): Promise<Page<Deploy>> {
    const query = this.database.manager
      .createQueryBuilder(Deploy, 'deploy')
      .where('deploy.project_id = :projectId', { projectId })
      .orderBy('deploy.id', 'DESC')
      .limit(page.limit + 1);
    if (branch !== undefined) query.andWhere('deploy.branch = :branch', { branch });
    if (type !== undefined) query.andWhere('deploy.type = :type', { type });
    if (state !== undefined) query.andWhere('deploy.state = :state', { state });
    if (page.after !== undefined) query.andWhere('deploy.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  /** False when the deploy is no longer in one of these states, or is at another attempt. */
  async change(id: string, { states, attempt }: From, change: DeployChange): Promise<boolean> {
    const { affected } = await this.database.manager.update(
      Deploy,
      { id, state: In([...states]), ...(attempt === undefined ? {} : { attempt }) },
      change,
    );
    return affected === 1;
  }

  /** Older queued deploys of the same project, target and branch. They are locked. */
  waitingBefore({ id, projectId, type, branch }: Deploy): Promise<Deploy[]> {
    return this.database.manager
      .createQueryBuilder(Deploy, 'deploy')
      .where('deploy.project_id = :projectId AND deploy.type = :type AND deploy.branch = :branch', {
        projectId,
        type,
        branch,
      })
      .andWhere("deploy.state = 'queued' AND deploy.id < :id", { id })
      .orderBy('deploy.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** The newest queued deploy of the same project, target and branch that is newer than this one, or null. */
  waitingAfter({ id, projectId, type, branch }: Deploy): Promise<Deploy | null> {
    return this.database.manager
      .createQueryBuilder(Deploy, 'deploy')
      .where('deploy.project_id = :projectId AND deploy.type = :type AND deploy.branch = :branch', {
        projectId,
        type,
        branch,
      })
      .andWhere("deploy.state = 'queued' AND deploy.id > :id", { id })
      .orderBy('deploy.id', 'DESC')
      .getOne();
  }

  /** Deploys of these projects that a push has started since that time, newest first. */
  pushedSince(projectIds: readonly string[], since: Date): Promise<Deploy[]> {
    return this.database.manager.find(Deploy, {
      where: { projectId: In([...projectIds]), trigger: 'push', createdAt: MoreThanOrEqual(since) },
      order: { id: 'DESC' },
      take: PUSHED_DEPLOYS,
    });
  }

  countActive(orgId: string): Promise<number> {
    return this.database.manager.countBy(Deploy, { orgId, state: In([...ACTIVE_STATES]) });
  }

  activeOf(projectId: string): Promise<Deploy[]> {
    return this.database.manager.findBy(Deploy, { projectId, state: In([...ACTIVE_STATES]) });
  }

  /** Ready deploys of the same commit, repository, target and settings whose files still exist, newest first. */
  sameAs({ id, projectId, type, commitSha, repoUrl, settings }: Deploy, limit: number): Promise<Deploy[]> {
    return this.database.manager
      .createQueryBuilder(Deploy, 'deploy')
      .where("deploy.project_id = :projectId AND deploy.state = 'ready' AND deploy.type = :type AND deploy.id <> :id", {
        projectId,
        type,
        id,
      })
      .andWhere(
        'deploy.commit_sha = :commitSha AND deploy.repo_url = :repoUrl ' +
          'AND deploy.settings = :settings::jsonb AND deploy.files_removed_at IS NULL',
        { commitSha, repoUrl, settings: JSON.stringify(settings) },
      )
      .orderBy('deploy.id', 'DESC')
      .limit(limit)
      .getMany();
  }

  /** The newest deploy older than this one that was in production and still has its files, or null. */
  liveBefore(projectId: string, id: string): Promise<Deploy | null> {
    return this.database.manager
      .createQueryBuilder(Deploy, 'deploy')
      .where(
        "deploy.project_id = :projectId AND deploy.state = 'ready' " +
          'AND deploy.went_live_at IS NOT NULL AND deploy.files_removed_at IS NULL',
        { projectId },
      )
      .andWhere('deploy.id < :id', { id })
      .orderBy('deploy.id', 'DESC')
      .getOne();
  }

  async wentLive(id: string, at: Date): Promise<void> {
    await this.database.manager.update(Deploy, { id }, { wentLiveAt: at });
  }

  async record(event: Omit<DeployEvent, 'id'>): Promise<void> {
    await this.database.manager.insert(DeployEvent, event as QueryDeepPartialEntity<DeployEvent>);
  }

  events(deployId: string): Promise<DeployEvent[]> {
    return this.database.manager.find(DeployEvent, { where: { deployId }, order: { id: 'ASC' } });
  }
}
