import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { MAX_CRONS } from '../cron-rules.js';
import { CronFromFile, CronNotFound, TooManyCrons } from '../crons.errors.js';
import type { CronRun } from '../persistence/cron-run.entity.js';
import { CronRunsStore } from '../persistence/cron-runs.store.js';
import type { Cron, CronFields } from '../persistence/cron.entity.js';
import { CronsStore } from '../persistence/crons.store.js';
import { CronCreation } from './cron-creation.js';
import { CronGate } from './cron-gate.js';

const SHOWN_TIMES = 3;

/** A cron with what follows from the time and the plan. */
export interface ShownCron {
  readonly cron: Cron;
  /** `paused`: the plan does not include crons, so it does not run. */
  readonly state: 'active' | 'disabled' | 'paused';
  readonly nextRuns: readonly Date[];
}

/** Manages the crons of projects. */
@Injectable()
export class CronsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly crons: CronsStore,
    private readonly runs: CronRunsStore,
    private readonly gate: CronGate,
    private readonly creation: CronCreation,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Lists the crons of a project, oldest first.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, projectIdOrSlug: string): Promise<ShownCron[]> {
    const { id, orgId } = await this.projects.get(call, projectIdOrSlug, 'deploys:read');
    const isIncluded = await this.gate.allows(orgId);
    return (await this.crons.list(id)).map((cron) => this.shown(cron, isIncluded));
  }

  /**
   * @throws as {@link list}.
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {TooManyCrons} `invalid_request`
   */
  create(call: Call, projectIdOrSlug: string, fields: CronFields): Promise<ShownCron> {
    return this.database.transaction(async () => {
      const { id: projectId, orgId } = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      await this.gate.require(orgId);
      if ((await this.crons.count(projectId, 'api')) >= MAX_CRONS) throw new TooManyCrons(MAX_CRONS);
      const cron = this.creation.of({ ...fields, orgId, projectId });
      await this.crons.insert(cron);
      await this.record(call, 'cron.created', cron);
      return this.shown(cron, true);
    });
  }

  /**
   * Changes the given fields. A cron of a file can only be disabled and enabled.
   *
   * @throws as {@link list}.
   * @throws {CronNotFound} `cron_not_found`
   * @throws {CronFromFile} `cron_from_file`
   */
  change(call: Call, projectIdOrSlug: string, cronId: string, fields: Partial<CronFields>): Promise<ShownCron> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      const cron = await this.of(project, cronId);
      if (cron.source === 'file' && Object.keys(fields).some((name) => name !== 'enabled')) throw new CronFromFile();
      cron.change(fields, this.creation.now);
      await this.crons.save(cron);
      await this.record(call, 'cron.changed', cron);
      return this.shown(cron, await this.gate.allows(project.orgId));
    });
  }

  /** Deletes a cron with its history. @throws as {@link change}. */
  delete(call: Call, projectIdOrSlug: string, cronId: string): Promise<void> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      const cron = await this.of(project, cronId);
      if (cron.source === 'file') throw new CronFromFile();
      await this.crons.remove([cron.id]);
      await this.record(call, 'cron.deleted', cron);
    });
  }

  /**
   * Runs a cron now, whether or not it is enabled. The run is `overlapped` and over when another one is active.
   *
   * @throws as {@link list}.
   * @throws {CronNotFound} `cron_not_found`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  run(call: Call, projectIdOrSlug: string, cronId: string): Promise<CronRun> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      const cron = await this.of(project, cronId);
      await this.gate.require(project.orgId);
      // The schedule may begin a run at the same time.
      await this.crons.lock(cron.id);
      const running = await this.runs.running([cron.id]);
      const run = this.creation.runOf(cron, running.has(cron.id));
      await this.runs.insert(run);
      await this.record(call, 'cron.run', cron);
      return run;
    });
  }

  /** Lists the last runs of a cron, newest first. @throws as {@link list}. @throws {CronNotFound} */
  async runsOf(call: Call, projectIdOrSlug: string, cronId: string): Promise<CronRun[]> {
    const project = await this.projects.get(call, projectIdOrSlug, 'deploys:read');
    return this.runs.list((await this.of(project, cronId)).id);
  }

  private async of({ id }: Project, cronId: string): Promise<Cron> {
    const cron = await this.crons.find(id, cronId);
    if (cron === null) throw new CronNotFound();
    return cron;
  }

  private shown(cron: Cron, isIncluded: boolean): ShownCron {
    const state = !isIncluded ? 'paused' : cron.enabled ? 'active' : 'disabled';
    return { cron, state, nextRuns: state === 'active' ? cron.timesAfter(this.creation.now, SHOWN_TIMES) : [] };
  }

  private record(
    call: Call,
    action: `cron.${string}`,
    { id, orgId, projectId, path, schedule, enabled }: Cron,
  ): Promise<void> {
    const details = { project_id: projectId, path, schedule, enabled };
    return this.orgs.record({ orgId, action, target: { type: 'cron', id }, details }, call);
  }
}
