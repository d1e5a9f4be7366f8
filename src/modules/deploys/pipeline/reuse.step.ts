import { Injectable } from '@nestjs/common';
import { storedBytesOf } from '../../plans/plan.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import type { DeployOutput } from '../domain/deploy-facts.js';
import { DeployVariablesService } from '../requests/deploy-variables.service.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import type { DeployRun } from './deploy-run.js';

/** The number of earlier deploys of the same commit that are compared. */
const LOOKED_AT = 5;

export interface Reused {
  readonly of: Deploy;
  readonly output: DeployOutput;
}

/** Reuses an earlier build, because the same commit with the same settings and variables has the same result. */
@Injectable()
export class ReuseStep {
  constructor(
    private readonly deploys: DeploysStore,
    private readonly variables: DeployVariablesService,
    private readonly artifacts: ArtifactsService,
  ) {}

  /** Undefined when no earlier deploy matches, or when the request forces a build. */
  async find({ deploy }: DeployRun): Promise<Reused | undefined> {
    if (deploy.force) return undefined;
    for (const candidate of await this.deploys.sameAs(deploy, LOOKED_AT)) {
      if (candidate.output === null || !(await this.variables.haveSameValues(deploy, candidate))) continue;
      if (await this.artifacts.has(candidate.id)) return { of: candidate, output: candidate.output };
    }
    return undefined;
  }

  /**
   * Gives the deploy the files of the earlier one. False when they were removed meanwhile.
   *
   * @throws {ArtifactRefused} `storage_limit_reached`
   */
  async take({ deploy, plan, log }: DeployRun, { of }: Reused): Promise<boolean> {
    const { id: deployId, projectId, orgId } = deploy;
    if (!(await this.artifacts.adopt(of.id, { deployId, projectId, orgId }, { storedBytes: storedBytesOf(plan) })))
      return false;
    log.note(
      'ingest',
      `This commit is already built, so the files of ${of.id} are reused. ` +
        'Send {"force": true} or use --force to build again.',
    );
    return true;
  }
}
