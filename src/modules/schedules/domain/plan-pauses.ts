import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { batchesOf, inBatches } from '../../../platform/database/in-batches.js';
import { type Allowance, PlanPausesStore } from '../persistence/plan-pauses.store.js';
import { SchedulesStore } from '../persistence/schedules.store.js';
import { ScheduleAccess } from './schedule-access.js';
import { ScheduleCreation } from './schedule-creation.js';
import { ScheduleGate } from './schedule-gate.js';

const ORGS = 500;
const SCHEDULES = 200;

/** Pauses schedules that a smaller plan does not include, the newest first, and resumes those that fit again. */
@Injectable()
export class PlanPauses {
  constructor(
    private readonly database: Database,
    private readonly pauses: PlanPausesStore,
    private readonly schedules: SchedulesStore,
    private readonly gate: ScheduleGate,
    private readonly creation: ScheduleCreation,
    private readonly access: ScheduleAccess,
  ) {}

  async apply(stopping: AbortSignal): Promise<void> {
    const read = (last: string | undefined, limit: number): Promise<string[]> => this.pauses.orgIdsAfter(last, limit);
    for await (const orgIds of batchesOf(read, { size: ORGS, stopping })) {
      const allowances = await this.gate.allowancesOf(orgIds);
      const batches = { size: SCHEDULES, stopping };
      await inBatches((limit) => this.database.transaction(() => this.pause(allowances, limit)), batches);
      await inBatches((limit) => this.database.transaction(() => this.resume(allowances, limit)), batches);
    }
  }

  private async pause(allowances: readonly Allowance[], limit: number): Promise<number> {
    const beyond = await this.pauses.takeBeyond(allowances, limit);
    for (const schedule of beyond) {
      const paused = this.creation.paused(schedule, 'plan');
      await this.schedules.save(paused);
      await this.access.record(undefined, 'schedule.paused', paused);
    }
    return beyond.length;
  }

  private async resume(allowances: readonly Allowance[], limit: number): Promise<number> {
    const fitting = await this.pauses.takeFitting(allowances, limit);
    for (const schedule of fitting) {
      const resumed = this.creation.resumedByPlan(schedule);
      await this.schedules.save(resumed);
      await this.access.record(undefined, 'schedule.resumed', resumed);
    }
    return fitting.length;
  }
}
