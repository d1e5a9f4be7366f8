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

/** Reports the slots of this worker, recovers deploys of lost workers, and admits deploys. */
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

  /** A failure is left to the schedule, because readiness already reports which server is unavailable. */
  run(): Promise<void> {
    if (!this.isStopped) this.running = this.runOnce();
    return this.running;
  }

  private async runOnce(): Promise<void> {
    if (this.runs++ % REPORT_EVERY_RUNS === 0)
      await this.store.reportWorker(this.leases.workerId, this.settings.concurrency);
    await this.lost.reap();
    // Builds write more than anything else, so deploys wait while the disk is nearly full.
    if (!this.room.isLow) await this.admission.run();
  }

  /** Removes the slots of this worker first, so that no more deploys are admitted for them. */
  private async stop(): Promise<void> {
    this.isStopped = true;
    await this.running.catch(() => undefined);
    await this.store.removeWorker(this.leases.workerId).catch(() => undefined);
  }
}
