import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { AppServersService } from '../app-servers.service.js';
import { AppActivity } from '../metrics/app-activity.js';
import { AppMetricsStore } from '../persistence/app-metrics.store.js';
import { appActivitySchedule } from './hosting.job.js';

const BATCH = 500;

/** Writes the activity of apps in batches. What cannot be written is lost, so that it never piles up. */
@Injectable()
@Handles(appActivitySchedule)
export class AppActivityWriter implements ScheduleHandler {
  constructor(
    private readonly activity: AppActivity,
    private readonly servers: AppServersService,
    private readonly store: AppMetricsStore,
    shutdown: Shutdown,
  ) {
    shutdown.at('queues', () => this.run());
  }

  async run(): Promise<void> {
    for (const { deployId, memoryPeakBytes } of this.servers.memory())
      this.activity.usedMemory(deployId, memoryPeakBytes);
    for (const [deployId, times] of this.servers.takeCrashes()) this.activity.restarted(deployId, times);
    const minutes = this.activity.take();
    for (let start = 0; start < minutes.length; start += BATCH)
      await this.store.add(minutes.slice(start, start + BATCH));
  }
}
