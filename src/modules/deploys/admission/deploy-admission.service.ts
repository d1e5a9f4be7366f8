import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { Features } from '../../features/features.js';
import { deployJob, jobIdOf } from '../jobs/deploy.job.js';
import { AdmissionStore } from '../persistence/admission.store.js';

/** Bounds one transaction, and with it the time for which the admission lock is held. */
const MAX_AT_ONCE = 50;

/**
 * Decides in PostgreSQL which deploys may run, and adds jobs for only those. Nothing depends on Redis: when a job is
 * lost, its deploy is admitted again.
 */
@Injectable()
export class DeployAdmissionService {
  constructor(
    private readonly database: Database,
    private readonly admission: AdmissionStore,
    private readonly orgs: OrgDirectory,
    private readonly outbox: Outbox,
    private readonly features: Features,
    private readonly log: Log,
  ) {}

  /**
   * Admits the deploys whose turn it is, and returns their number. While the feature `deploys` is off, all deploys
   * wait, including those of pushes. It joins a running transaction, in which only one process at a time gets further.
   */
  async run(): Promise<number> {
    if (!this.features.isEnabled('deploys')) return 0;
    return this.database.transaction(async () => {
      await this.admission.lock();
      const waitingOf = await this.admission.waitingOfOrgs();
      const count = [...waitingOf.values()].reduce((sum, each) => sum + each, 0);
      const perOrg = await this.perOrg([...waitingOf.keys()]);
      let admitted = 0;
      for (; admitted < Math.min(count, MAX_AT_ONCE); admitted++) {
        const waiting = await this.admission.next(perOrg);
        if (waiting === undefined) break;
        await this.admission.admit(waiting);
        const job = { deployId: waiting.id, attempt: waiting.attempt + 1 };
        await this.outbox.enqueue(deployJob, job, jobIdOf(job));
      }
      return admitted;
    });
  }

  /**
   * The number of running deploys that each organization may have, by its current plan. A deleted organization has
   * the limit of the smallest plan.
   */
  private async perOrg(orgIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (orgIds.length === 0) return new Map();
    const plans = await this.orgs.plansOf(orgIds);
    return new Map(orgIds.map((id) => [id, PLANS[plans.get(id) ?? 'free'].deploys.concurrency]));
  }

  /** Admits without failing the caller: every worker admits each second anyway. */
  async runSoon(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.log.debug({ error }, 'Admitting deploys failed. Workers retry within a second.');
    }
  }
}
