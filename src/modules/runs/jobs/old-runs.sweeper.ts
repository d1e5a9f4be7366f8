import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { runSubject } from '../../credits/budget-subject.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import { RunsStore } from '../persistence/runs.store.js';
import { RunEndsService } from '../run-ends.service.js';
import { oldRunsSchedule } from './runs.job.js';

const DAY_MS = 86_400_000;
const WAITED_DAYS = 30;
const KEPT_DAYS = 90;
const BATCH = 200;

@Injectable()
@Handles(oldRunsSchedule)
export class OldRunsSweeper implements ScheduleHandler {
  constructor(
    private readonly runs: RunsStore,
    private readonly ends: RunEndsService,
    private readonly budgets: WorkBudgetsService,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.timeOutSome()) > 0);
    while (!stopping.aborted && (await this.removeSome()) > 0);
  }

  private async timeOutSome(): Promise<number> {
    const ids = await this.runs.waitingSince(this.before(WAITED_DAYS), BATCH);
    await this.ends.timeOut(ids);
    return ids.length;
  }

  private async removeSome(): Promise<number> {
    const old = await this.runs.endedBefore(this.before(KEPT_DAYS), BATCH);
    for (const { orgId, ids } of old) {
      await this.budgets.deleteAll(orgId, ids.map(runSubject));
      await this.runs.delete(ids);
    }
    return old.length;
  }

  private before(days: number): Date {
    return new Date(this.clock.now().getTime() - days * DAY_MS);
  }
}
