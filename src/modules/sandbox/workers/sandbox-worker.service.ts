import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { sandboxQueue } from '../jobs/sandbox.queue.js';
import { SandboxProcessor } from '../jobs/sandbox.processor.js';
import { type SandboxReadiness, SandboxRuntime } from '../sandbox-runtime.js';
import { SandboxMetrics } from '../sandbox.metrics.js';
import { WorkerReports } from './worker-reports.js';

const REPORT_MS = 5_000;
/** An operator may install what is missing at any time. */
const PROBES_EVERY_REPORTS = 6;

/** Takes sandbox jobs for as long as the probe says that code can be isolated, and tells the API which it is. */
@Injectable()
export class SandboxWorkerService implements OnApplicationBootstrap {
  private readonly logger = new Logger(SandboxWorkerService.name);
  private readonly workerId: string;
  private timer: NodeJS.Timeout | undefined;
  private reports = 0;
  private stopped = false;

  constructor(
    private readonly config: Config,
    private readonly runtime: SandboxRuntime,
    private readonly workers: QueueWorkers,
    private readonly processor: SandboxProcessor,
    private readonly workerReports: WorkerReports,
    private readonly metrics: SandboxMetrics,
    private readonly shutdown: Shutdown,
    ids: Ids,
  ) {
    this.workerId = ids.next('wrk');
    shutdown.at('workers', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.open(await this.probe());
    await this.report();
    this.timer = setInterval(() => { void this.tick(); }, REPORT_MS);
    this.timer.unref();
  }

  private async tick(): Promise<void> {
    if (!this.runtime.readiness.available && ++this.reports % PROBES_EVERY_REPORTS === 0) this.open(await this.probe());
    await this.report();
  }

  private probe(): Promise<SandboxReadiness> {
    if (!this.config.sandbox.enabled) return Promise.resolve({ available: false, missing: ['SANDBOX_ENABLED=true'] });
    return this.runtime.probe();
  }

  private open(readiness: SandboxReadiness): void {
    this.metrics.setAvailable(readiness.available);
    if (readiness.available) {
      this.logger.log(`The sandbox is ready (${readiness.mode}).`);
      if (!this.stopped) this.workers.start(sandboxQueue, this.processor, { concurrency: this.config.sandbox.concurrency });
    } else {
      this.logger.warn(`The sandbox runs nothing. Missing: ${readiness.missing.join('; ')}.`);
    }
  }

  private async report(): Promise<void> {
    const readiness: SandboxReadiness = this.config.sandbox.enabled
      ? this.runtime.readiness
      : { available: false, missing: ['SANDBOX_ENABLED=true'] };
    // While Redis is away nobody reads reports either.
    await this.workerReports
      .put(this.workerId, { readiness, slots: this.config.sandbox.concurrency, averageRunMs: this.processor.averageRunMs })
      .catch(() => undefined);
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.workerReports.remove(this.workerId).catch(() => undefined);
    // Runs that are under way may finish; their callers wait for them, in this process or in another.
    await Promise.race([this.workers.stop(sandboxQueue.name), sleep(this.shutdown.jobsLeftMs, undefined, { ref: false })]);
    await this.runtime.close();
  }
}
