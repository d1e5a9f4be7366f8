import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Plan } from '../../plans/plan.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { DeployFailed } from '../domain/deploy-failure.js';
import type { DeployVariables } from '../domain/deploy-facts.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { DeployVariablesService } from '../requests/deploy-variables.service.js';
import { ProjectHasNoRepository, StorageLimitReached } from '../deploys.errors.js';
import type { DeployPayload } from '../jobs/deploy.job.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { ProductionGate } from '../domain/production-gate.js';
import { settingsOf } from '../domain/project-settings.js';
import { StorageGate } from '../domain/storage-gate.js';

/** A worker that does not renew its lease within this time is considered lost. */
export const LEASE_MS = 30_000;

/** The data that an attempt starts with. */
export interface Begun {
  readonly deploy: Deploy;
  readonly project: Project;
  readonly plan: Plan;
  readonly variables: DeployVariables;
}

/** Starts an attempt with the current settings, repository and variables of the project. */
@Injectable()
export class BeginStep {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly gate: ProductionGate,
    private readonly storage: StorageGate,
    private readonly variables: DeployVariablesService,
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
  ) {}

  /**
   * Null when there is nothing left to do: the deploy is at another attempt or has ended, perhaps in this call.
   */
  take({ deployId, attempt }: DeployPayload, workerId: string): Promise<Begun | null> {
    return this.database.transaction(async () => {
      const deploy = await this.deploys.get(deployId);
      if (deploy.attempt !== attempt || deploy.state !== 'queued') return null;
      const project = await this.projects.findAndLock(deploy.projectId);
      if (project === null) {
        await this.transitions.canceled(deploy, { reason: 'project_deleted' });
        return null;
      }
      const begun = await this.enter(deploy, project, workerId);
      if (!(begun instanceof DeployFailed)) return begun;
      await this.transitions.failed(deploy, begun);
      return null;
    });
  }

  private async enter(deploy: Deploy, project: Project, workerId: string): Promise<Begun | DeployFailed | null> {
    const plan = await this.gate.planOf(deploy.orgId);
    if (deploy.type === 'production') {
      const refusal = await this.gate.requirePlan(deploy.orgId).then(
        () => null,
        (error: unknown) => error,
      );
      if (refusal instanceof DeployFailed) return refusal;
      if (refusal !== null) throw refusal as Error;
    }
    const repoUrl = deploy.uploadId === null ? project.repoUrl : deploy.repoUrl;
    if (repoUrl === null) {
      const { code, message } = new ProjectHasNoRepository();
      return new DeployFailed(code, message);
    }
    const full = await this.refusalOfStorage(deploy.orgId);
    if (full !== undefined) return full;
    const settings = settingsOf(project);
    if (!(await this.transitions.begin(deploy, { workerId, leaseMs: LEASE_MS, repoUrl, settings }))) return null;
    const variables = await this.variables.keep(deploy);
    return { deploy: await this.deploys.get(deploy.id), project, plan, variables };
  }

  /** Deploys of a push are not checked when they are queued, so they are refused here before anything is built. */
  private async refusalOfStorage(orgId: string): Promise<DeployFailed | undefined> {
    try {
      await this.storage.requireRoom(orgId);
      return undefined;
    } catch (error) {
      if (!(error instanceof StorageLimitReached)) throw error;
      return new DeployFailed(error.code, `${error.message} ${error.help.hint ?? ''}`);
    }
  }
}
