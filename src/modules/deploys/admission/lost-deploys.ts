import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { AdmissionStore } from '../persistence/admission.store.js';
import { DeploysStore } from '../persistence/deploys.store.js';

/** A deploy whose worker is lost for the second time may be what loses them. */
const MAX_LOSSES = 1;
const BATCH = 50;
/** A worker that is there takes a job within milliseconds. By then it, or the job, is taken for lost. */
const UNBEGUN_AFTER_MS = 30_000;

/** Sees to it that no deploy stays at work for ever. */
@Injectable()
export class LostDeploys {
  constructor(
    private readonly database: Database,
    private readonly admission: AdmissionStore,
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
    private readonly log: Log,
  ) {}

  /** Has those begin anew whose worker renews their lease no more, once; the second time they fail. */
  reap(): Promise<void> {
    return this.database.transaction(async () => {
      for (const { id } of await this.admission.lost(BATCH)) await this.giveUp(id);
      await this.admission.readmitUnbegun(UNBEGUN_AFTER_MS);
    });
  }

  private async giveUp(id: string): Promise<void> {
    const deploy = await this.deploys.get(id);
    this.log.warn(
      { deployId: id, orgId: deploy.orgId, workerId: deploy.workerId, state: deploy.state },
      'The worker of a deploy was lost.',
    );
    if (deploy.losses >= MAX_LOSSES) {
      await this.transitions.failed(
        deploy,
        { code: 'worker_lost', message: 'The worker was lost twice while it was at the deploy.' },
        deploy.phaseMs,
      );
      return;
    }
    await this.transitions.handedBack(deploy, 'worker_lost');
    const newer = await this.deploys.waitingAfter(deploy);
    if (newer !== null) await this.transitions.skipped(deploy, newer.id);
  }
}
