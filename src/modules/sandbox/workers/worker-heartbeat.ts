import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { WORKER_ID } from '../../../platform/ids/platform.ids.js';
import type { SandboxReadiness } from '../domain/sandbox-runtime.js';
import { MeasuredRuns } from '../jobs/measured-runs.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { WorkerReports } from './worker-reports.js';

/**
 * Reports the state of this worker to the API processes. Errors are ignored: without Redis no process reads reports.
 */
@Injectable()
export class WorkerHeartbeat {
  private readonly workerId: string;

  constructor(
    private readonly settings: SandboxSettings,
    private readonly runs: MeasuredRuns,
    private readonly reports: WorkerReports,
    ids: Ids,
  ) {
    this.workerId = ids.next(WORKER_ID);
  }

  async send(readiness: SandboxReadiness): Promise<void> {
    const { concurrency: slots } = this.settings;
    const { averageRunMs } = this.runs;
    await this.reports.put(this.workerId, { readiness, slots, averageRunMs }).catch(() => undefined);
  }

  /** Removes the report, so that the API does not count on this worker any longer. */
  async stop(): Promise<void> {
    await this.reports.remove(this.workerId).catch(() => undefined);
  }
}
