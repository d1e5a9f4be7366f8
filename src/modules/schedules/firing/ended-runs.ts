import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { EndedRun } from '../../runs/new-run.js';
import { RunObservers } from '../../runs/run-observers.js';
import { DueSchedulesStore } from '../persistence/due-schedules.store.js';
import { ScheduleFiresStore } from '../persistence/schedule-fires.store.js';
import { MAX_FAILURES } from './fire-decisions.js';

/** Learns that runs of schedules have ended: it counts failures, and lets the fire that waited begin. */
@Injectable()
export class EndedRuns implements OnModuleInit {
  constructor(
    private readonly observers: RunObservers,
    private readonly schedules: DueSchedulesStore,
    private readonly fires: ScheduleFiresStore,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.observers.register((run) => this.ended(run));
  }

  private async ended(run: EndedRun): Promise<void> {
    if (run.scheduleId === null) return;
    const now = this.clock.now();
    const end = await this.schedules.endRun(run, MAX_FAILURES, now);
    if (end?.isPaused !== true) return;
    const { id, orgId, name, failuresInARow, bufferedFireId } = end;
    await this.fires.skipBuffered(bufferedFireId, 'schedule_paused', now);
    await this.schedules.forgetBuffered(id);
    const details = { name, because: 'failures', failures_in_a_row: failuresInARow };
    await this.orgs.record({ orgId, action: 'schedule.paused', target: { type: 'schedule', id }, details }, undefined);
  }
}
