import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { AdmissionStore } from '../persistence/admission.store.js';
import { DeploysStore } from '../persistence/deploys.store.js';

/** A deploy that loses its worker twice may be the cause of the loss. */
const MAX_LOSSES = 1;
const BATCH = 50;
/** A running worker takes a job within milliseconds. After this time the job or the worker is considered lost. */
const UNSTARTED_AFTER_MS = 30_000;

/** Recovers deploys whose worker or job was lost, so that none stays active for ever. */
@Injectable()
export class LostDeploys {
  constructor(
    private readonly database: Database,
    private readonly admission: AdmissionStore,
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
    private readonly log: Log,
  ) {}

  /** Queues a deploy again when its worker no longer renews the lease. The second time the deploy fails. */
  reap(): Promise<void> {
    return this.database.transaction(async () => {
      for (const { id } of await this.admission.lost(BATCH)) await this.giveUp(id);
      await this.admission.readmitUnstarted(UNSTARTED_AFTER_MS);
    });
  }

  private async giveUp(id: string): Promise<void> {
    const deploy = await this.deploys.get(id);
    this.log.warn(
      { deployId: id, orgId: deploy.orgId, workerId: deploy.workerId, state: deploy.state },
      'The worker of a deploy stopped renewing its lease.',
    );
    if (deploy.losses >= MAX_LOSSES) {
      await this.transitions.failed(
        deploy,
        { code: 'worker_lost', message: 'The worker was lost twice during the deploy. Deploy again.' },
        deploy.phaseMs,
      );
      return;
    }
    await this.transitions.handedBack(deploy, 'worker_lost');
    const newer = await this.deploys.waitingAfter(deploy);
    if (newer !== null) await this.transitions.skipped(deploy, newer.id);
  }
}
