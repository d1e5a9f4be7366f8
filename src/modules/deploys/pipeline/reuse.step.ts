import { Injectable } from '@nestjs/common';
import { storedBytesOf } from '../../plans/plan.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import type { DeployOutput } from '../domain/deploy-facts.js';
import { DeployVariablesService } from '../requests/deploy-variables.service.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import type { DeployRun } from './deploy-run.js';

/** Of very many of the same commit, the last ones are looked at. */
const LOOKED_AT = 5;

export interface Reused {
  readonly of: Deploy;
  readonly output: DeployOutput;
}

/** Builds nothing twice: the same commit with the same settings and variables makes the same. */
@Injectable()
export class ReuseStep {
  constructor(
    private readonly deploys: DeploysStore,
    private readonly variables: DeployVariablesService,
    private readonly artifacts: ArtifactsService,
  ) {}

  /** Undefined where there is something to build, or it was asked for in any case. */
  async find({ deploy }: DeployRun): Promise<Reused | undefined> {
    if (deploy.force) return undefined;
    for (const candidate of await this.deploys.sameAs(deploy, LOOKED_AT)) {
      if (candidate.output === null || !(await this.variables.areAlike(deploy, candidate))) continue;
      if (await this.artifacts.has(candidate.id)) return { of: candidate, output: candidate.output };
    }
    return undefined;
  }

  /**
   * The deploy has the files of the earlier one as its own. False when they were removed meanwhile.
   *
   * @throws {ArtifactRefused} `storage_limit_reached`
   */
  async take({ deploy, plan, log }: DeployRun, { of }: Reused): Promise<boolean> {
    const { id: deployId, projectId, orgId } = deploy;
    if (!(await this.artifacts.adopt(of.id, { deployId, projectId, orgId }, { storedBytes: storedBytesOf(plan) })))
      return false;
    log.note(
      'ingest',
      `This commit is already built: ${of.id} has its files, and this deploy serves them too. Send {"force": true}, or use --force, to build again.`,
    );
    return true;
  }
}
