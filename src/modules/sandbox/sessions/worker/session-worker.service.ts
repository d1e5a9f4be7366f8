import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../../platform/background/define-schedule.js';
import { Handles } from '../../../../platform/background/handles.js';
import { Shutdown } from '../../../../platform/lifecycle/shutdown.js';
import { QueueWorkers } from '../../../../platform/queues/queue-workers.js';
import { SandboxRuntime } from '../../domain/sandbox-runtime.js';
import { SandboxSettings } from '../../sandbox.settings.js';
import { sessionStartJob } from '../jobs/session-start.job.js';
import { SessionStartProcessor } from '../jobs/session-start.processor.js';
import { heldSessionsSchedule } from '../jobs/sessions.job.js';
import { SessionAnswering } from './session-answering.js';
import { SessionTimes } from './session-times.js';

/** The rest of the shutdown's time for jobs is for ending the sessions. */
const ENDS_TAKE_MS = 2_000;
const LOOK_EVERY_MS = 100;

/** Holds sessions in this worker while code can be isolated here, and ends them when it stops. */
@Injectable()
@Handles(heldSessionsSchedule)
export class SessionWorkerService implements OnApplicationBootstrap, ScheduleHandler {
  private readonly logger = new Logger(SessionWorkerService.name);
  private isAnswering = false;
  private beginning: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly settings: SandboxSettings,
    private readonly runtime: SandboxRuntime,
    private readonly workers: QueueWorkers,
    private readonly processor: SessionStartProcessor,
    private readonly times: SessionTimes,
    private readonly answering: SessionAnswering,
    private readonly shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    if (!this.settings.enabled) return;
    this.beginToAnswer();
  }

  async run(): Promise<void> {
    if (this.stopped) return;
    if (this.settings.enabled) this.beginToAnswer();
    if (this.isAnswering && this.runtime.readiness.available && this.settings.sessions > 0)
      this.workers.start(sessionStartJob, this.processor);
    else void this.workers.stop(sessionStartJob.name);
    await this.times.keep();
  }

  /** Redis may be unavailable. Until it is back no session is taken. */
  private beginToAnswer(): void {
    this.beginning ??= this.answering.begin().then(
      () => {
        this.isAnswering = true;
      },
      (error: unknown) => {
        this.logger.warn(`Sessions cannot be reached in this worker: ${String(error)}`);
        this.beginning = undefined;
      },
    );
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    await this.workers.stop(sessionStartJob.name);
    // Callers wait for what runs.
    while (this.times.isAnyUsed && this.shutdown.jobsLeftMs > ENDS_TAKE_MS) await sleep(LOOK_EVERY_MS);
    await this.times.endAll();
    await this.answering.end();
  }
}
