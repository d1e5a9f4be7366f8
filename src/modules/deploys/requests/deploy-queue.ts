import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Project } from '../../projects/projects.service.js';
import { DeployAdmissionService } from '../admission/deploy-admission.service.js';
import { TooManyDeploysWaiting } from '../deploys.errors.js';
import { DEPLOY_ID } from '../deploys.ids.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { Deploy, type RequestedDeploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';

/** The limit of unfinished deploys in one organization, queued ones included. */
const MAX_ACTIVE = 100;

/** Decides which deploys wait for their turn. A newer deploy of a branch replaces the older ones that still wait. */
@Injectable()
export class DeployQueue {
  constructor(
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
    private readonly admission: DeployAdmissionService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues a deploy in the running transaction, in which the project is locked, and admits it if it is its turn. No
   * transaction may lock what a later part of this one needs and then call this: admissions wait for each other.
   *
   * @throws {ProjectHasNoRepository} `project_has_no_repository`
   * @throws {TooManyDeploysWaiting} `concurrency_limit_exceeded`
   */
  async add(project: Project, request: RequestedDeploy): Promise<Deploy> {
    const deploy = Deploy.queued(project, request, { id: this.ids.next(DEPLOY_ID), at: this.clock.now() });
    for (const older of await this.deploys.waitingBefore(deploy)) await this.transitions.skipped(older, deploy.id);
    if ((await this.deploys.countActive(project.orgId)) >= MAX_ACTIVE) throw new TooManyDeploysWaiting(MAX_ACTIVE);
    await this.transitions.queued(deploy);
    await this.admission.run();
    return deploy;
  }
}
