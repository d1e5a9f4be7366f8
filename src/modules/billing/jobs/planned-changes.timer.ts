import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicJobs } from '../../../platform/background/schedules.js';
import { PlannedChanges } from '../subscriptions/planned-changes.service.js';

const EVERY_MS = 15_000;

/** In the worker: lets planned changes of plans take effect. The bill goes by the time they were planned for, not by when it looks. */
@Injectable()
export class PlannedChangesTimer implements OnApplicationBootstrap {
  constructor(
    private readonly changes: PlannedChanges,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'letting planned changes of plans take effect', everyMs: EVERY_MS, run: () => this.changes.applyAll() });
  }
}
