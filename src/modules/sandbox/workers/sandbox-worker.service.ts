import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { sandboxJob } from '../jobs/sandbox.job.js';
import { SandboxProcessor } from '../jobs/sandbox.processor.js';
import { type SandboxReadiness, SandboxRuntime } from '../domain/sandbox-runtime.js';
import { SandboxMetrics } from '../metrics/sandbox.metrics.js';
import { sandboxWorkerSchedule } from '../jobs/sandbox-worker.job.js';
import { WorkerHeartbeat } from './worker-heartbeat.js';

/** The probe is repeated while it fails, because the operator may install what is missing at any time. */
const PROBE_EVERY_RUNS = 30;
const SWITCHED_OFF: SandboxReadiness = { available: false, missing: ['SANDBOX_ENABLED=true'] };

/** Takes sandbox jobs while the probe says that code can be isolated, and reports the result to the API. */
@Injectable()
@Handles(sandboxWorkerSchedule)
export class SandboxWorkerService implements OnApplicationBootstrap, ScheduleHandler {
  private readonly logger = new Logger(SandboxWorkerService.name);
  private runs = 0;
  /** Undefined before the first probe, so that its result is always logged. */
  private isTaking: boolean | undefined;
  private stopped = false;

  constructor(
    private readonly settings: SandboxSettings,
    private readonly runtime: SandboxRuntime,
    private readonly workers: QueueWorkers,
    private readonly processor: SandboxProcessor,
    private readonly heartbeat: WorkerHeartbeat,
    private readonly metrics: SandboxMetrics,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.probe();
    this.followReadiness();
    await this.heartbeat.send(this.readiness);
  }

  async run(): Promise<void> {
    if (this.stopped) return;
    if (!this.readiness.available && ++this.runs % PROBE_EVERY_RUNS === 0) await this.probe();
    this.followReadiness();
    await this.heartbeat.send(this.readiness);
  }

  private get readiness(): SandboxReadiness {
    return this.settings.enabled ? this.runtime.readiness : SWITCHED_OFF;
  }

  private async probe(): Promise<void> {
    if (this.settings.enabled) await this.runtime.probe();
  }

  /** A worker that cannot isolate code must not take jobs, because it would fail them faster than others run them. */
  private followReadiness(): void {
    const { readiness } = this;
    this.metrics.setMode(readiness.available ? readiness.mode : undefined);
    if (this.stopped || readiness.available === this.isTaking) return;

    if (readiness.available) {
      this.logger.log(`The sandbox is ready (${readiness.mode}).`);
      this.workers.start(sandboxJob, this.processor, { concurrency: this.settings.concurrency });
    } else {
      this.logger.warn(`The sandbox is unavailable. Missing: ${readiness.missing.join('; ')}.`);
      void this.workers.stop(sandboxJob.name);
    }
    this.isTaking = readiness.available;
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    await this.heartbeat.stop();
    // Active runs may finish, because their callers wait for them in this process or in another.
    await this.workers.stop(sandboxJob.name);
    await this.runtime.close();
  }
}
