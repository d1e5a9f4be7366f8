import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { PLAN_IDS, type PlanId, PLANS } from '../../billing/plan.js';
import { Features } from '../../features/features.service.js';
import { deployQueue, jobIdOf } from '../jobs/deploy.queue.js';
import { AdmissionStore } from '../persistence/admission.store.js';

const PER_ORG = Object.fromEntries(PLAN_IDS.map((id) => [id, PLANS[id].deploys.concurrency])) as Record<PlanId, number>;

/** Of one transaction: what a lock is held for. */
const MAX_AT_ONCE = 50;

/**
 * Decides in PostgreSQL which deploys may be worked on, and has workers asked to do those alone. Nothing rests on Redis:
 * where a job is lost, its deploy is admitted anew.
 */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly database: Database,
    private readonly admission: AdmissionStore,
    private readonly outbox: Outbox,
    private readonly features: Features,
    private readonly log: Log,
  ) {}

  /** Admits all whose turn it is, and says how many they were. While the flag is off everything waits, what is pushed too. */
  async run(): Promise<number> {
    if (!this.features.isEnabled('deploys')) return 0;
    return this.database.transaction(async () => {
      await this.admission.lock();
      let admitted = 0;
      for (; admitted < MAX_AT_ONCE; admitted++) {
        const waiting = await this.admission.next(PER_ORG);
        if (waiting === undefined) break;
        await this.admission.admit(waiting);
        const job = { deployId: waiting.id, attempt: waiting.attempt + 1 };
        await this.outbox.enqueue(deployQueue, job, jobIdOf(job));
      }
      return admitted;
    });
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
