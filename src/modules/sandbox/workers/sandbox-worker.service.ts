import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { Ids } from '../../../platform/ids/ids.js';
import { WORKER_ID } from '../../../platform/ids/platform.ids.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { sandboxJob } from '../jobs/sandbox.job.js';
import { SandboxProcessor } from '../jobs/sandbox.processor.js';
import { type SandboxReadiness, SandboxRuntime } from '../domain/sandbox-runtime.js';
import { SandboxMetrics } from '../metrics/sandbox.metrics.js';
import { sandboxWorkerSchedule } from '../jobs/sandbox-worker.job.js';
import { WorkerReports } from './worker-reports.js';

/** An operator may install what is missing at any time. */
const PROBE_EVERY_RUNS = 30;
const SWITCHED_OFF: SandboxReadiness = { available: false, missing: ['SANDBOX_ENABLED=true'] };

/** Takes sandbox jobs for as long as the probe says that code can be isolated, and tells the API which it is. */
@Injectable()
@Handles(sandboxWorkerSchedule)
export class SandboxWorkerService implements OnApplicationBootstrap, ScheduleHandler {
  private readonly logger = new Logger(SandboxWorkerService.name);
  private readonly workerId: string;
  private runs = 0;
  /** Undefined before the first look, so that whatever it finds is said. */
  private isTaking: boolean | undefined;
  private stopped = false;

  constructor(
    private readonly settings: SandboxSettings,
    private readonly runtime: SandboxRuntime,
    private readonly workers: QueueWorkers,
    private readonly processor: SandboxProcessor,
    private readonly workerReports: WorkerReports,
    private readonly metrics: SandboxMetrics,
    ids: Ids,
    shutdown: Shutdown,
  ) {
    this.workerId = ids.next(WORKER_ID);
    shutdown.at('workers', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.probe();
    this.follow();
    await this.report();
  }

  async run(): Promise<void> {
    if (this.stopped) return;
    if (!this.readiness.available && ++this.runs % PROBE_EVERY_RUNS === 0) await this.probe();
    this.follow();
    await this.report();
  }

  private get readiness(): SandboxReadiness {
    return this.settings.enabled ? this.runtime.readiness : SWITCHED_OFF;
  }

  private async probe(): Promise<void> {
    if (this.settings.enabled) await this.runtime.probe();
  }

  /** A worker that cannot isolate must not take jobs: it would fail them faster than others can run them. */
  private follow(): void {
    const { readiness } = this;
    this.metrics.setMode(readiness.available ? readiness.mode : undefined);
    if (this.stopped || readiness.available === this.isTaking) return;

    if (readiness.available) {
      this.logger.log(`The sandbox is ready (${readiness.mode}).`);
      this.workers.start(sandboxJob, this.processor, { concurrency: this.settings.concurrency });
    } else {
      this.logger.warn(`The sandbox runs nothing. Missing: ${readiness.missing.join('; ')}.`);
      void this.workers.stop(sandboxJob.name);
    }
    this.isTaking = readiness.available;
  }

  private async report(): Promise<void> {
    const { readiness } = this;
    // While Redis is away nobody reads reports either.
    await this.workerReports
      .put(this.workerId, {
        readiness,
        slots: this.settings.concurrency,
        averageRunMs: this.processor.averageRunMs,
      })
      .catch(() => undefined);
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    await this.workerReports.remove(this.workerId).catch(() => undefined);
    // Runs that are under way may finish; their callers wait for them, in this process or in another.
    await this.workers.stop(sandboxJob.name);
    await this.runtime.close();
  }
}
