import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { StorageRoom } from '../../../platform/storage/storage-room.js';
import { AdmissionService } from '../admission/admission.service.js';
import { LostDeploys } from '../admission/lost-deploys.service.js';
import { AdmissionStore } from '../persistence/admission.store.js';
import { Leases } from '../pipeline/leases.js';
import { DeployProcessor } from './deploy.processor.js';
import { deployJob } from './deploy.job.js';

const LOOK_EVERY_MS = 1_000;
const REPORT_EVERY_LOOKS = 5;

/** Takes part in deploying: says what this process can do at once, does it, and looks after what others have lost. */
@Injectable()
export class DeployWorkerService implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;
  private looks = 0;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly workers: QueueWorkers,
    private readonly processor: DeployProcessor,
    private readonly leases: Leases,
    private readonly store: AdmissionStore,
    private readonly admission: AdmissionService,
    private readonly lost: LostDeploys,
    private readonly room: StorageRoom,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.workers.start(deployJob, this.processor, { concurrency: this.config.deploys.concurrency });
    this.look();
  }

  private look(): void {
    this.looking = this.lookOnce().then(() => {
      this.timer = setTimeout(() => { this.look(); }, LOOK_EVERY_MS);
    });
  }

  private async lookOnce(): Promise<void> {
    try {
      if (this.looks++ % REPORT_EVERY_LOOKS === 0) await this.store.reportWorker(this.leases.workerId, this.config.deploys.concurrency);
      await this.lost.reap();
      // A build writes more than anything else. Deploys wait until there is room for theirs.
      if (!this.room.isLow) await this.admission.run();
    } catch (error) {
      // Readiness tells which server is away.
      this.log.debug({ error }, 'Deploys could not be looked after.');
    }
  }

  /** First of all nothing more is admitted for the slots of this worker. */
  private async stop(): Promise<void> {
    await this.looking;
    clearTimeout(this.timer);
    await this.store.removeWorker(this.leases.workerId).catch(() => undefined);
  }
}
