import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { DeploysSettings } from '../deploys.settings.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { StorageRoom } from '../../../platform/storage/storage-room.js';
import { DeployAdmissionService } from '../admission/deploy-admission.service.js';
import { LostDeploys } from '../admission/lost-deploys.js';
import { AdmissionStore } from '../persistence/admission.store.js';
import { Leases } from '../pipeline/leases.js';
import { deployAdmissionSchedule } from './deploys.job.js';

const REPORT_EVERY_RUNS = 5;

/** Takes part in deploying: says what this process can do at once, does it, and looks after what others have lost. */
@Injectable()
@Handles(deployAdmissionSchedule)
export class DeployWorkerService implements ScheduleHandler {
  private runs = 0;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly settings: DeploysSettings,
    private readonly leases: Leases,
    private readonly store: AdmissionStore,
    private readonly admission: DeployAdmissionService,
    private readonly lost: LostDeploys,
    private readonly room: StorageRoom,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  /** Readiness reports which server is unavailable, so a failure is left to the schedule. */
  run(): Promise<void> {
    if (!this.isStopped) this.running = this.runOnce();
    return this.running;
  }

  private async runOnce(): Promise<void> {
    if (this.runs++ % REPORT_EVERY_RUNS === 0)
      await this.store.reportWorker(this.leases.workerId, this.settings.concurrency);
    await this.lost.reap();
    // A build writes more than anything else. Deploys wait until there is room for theirs.
    if (!this.room.isLow) await this.admission.run();
  }

  /** First of all nothing more is admitted for the slots of this worker. */
  private async stop(): Promise<void> {
    this.isStopped = true;
    await this.running.catch(() => undefined);
    await this.store.removeWorker(this.leases.workerId).catch(() => undefined);
  }
}
