import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { Features } from '../../features/features.js';
import { deployJob, jobIdOf } from '../jobs/deploy.job.js';
import { AdmissionStore } from '../persistence/admission.store.js';

/** Of one transaction: what a lock is held for. */
const MAX_AT_ONCE = 50;

/**
 * Decides in PostgreSQL which deploys may be worked on, and has workers asked to do those alone. Nothing rests on
 * Redis: where a job is lost, its deploy is admitted anew.
 */
@Injectable()
export class DeployAdmissionService {
  constructor(
    private readonly database: Database,
    private readonly admission: AdmissionStore,
    private readonly owners: OrgDirectory,
    private readonly outbox: Outbox,
    private readonly features: Features,
    private readonly log: Log,
  ) {}

  /**
   * Admits all whose turn it is, and says how many they were. While the flag is off everything waits, what is pushed
   * too.
   */
  async run(): Promise<number> {
    if (!this.features.isEnabled('deploys')) return 0;
    return this.database.transaction(async () => {
      await this.admission.lock();
      const perOrg = await this.perOrg(await this.admission.orgsWaiting());
      if (perOrg.size === 0) return 0;
      let admitted = 0;
      for (; admitted < MAX_AT_ONCE; admitted++) {
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
   * How many each may have at work, by its plan at this moment. An organization that was deleted has what the smallest
   * has.
   */
  private async perOrg(orgIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (orgIds.length === 0) return new Map();
    const plans = await this.owners.plansOf(orgIds);
    return new Map(orgIds.map((id) => [id, PLANS[plans.get(id) ?? 'free'].deploys.concurrency]));
  }

  /** For one who has changed what waits, and is done when this fails: workers admit by themselves, every second. */
  async runSoon(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.log.debug({ error }, 'Deploys could not be admitted.');
    }
  }
}
