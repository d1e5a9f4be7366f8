import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { swarmSubject, swarmWorkersSubject } from '../../credits/budget-subject.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import { ChildRunsStore } from '../persistence/child-runs.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { oldSwarmsSchedule } from './swarms.job.js';

const KEPT_MS = 90 * 86_400_000;
const BATCH = 50;
const CHILD_BATCH = 1_000;

@Injectable()
@Handles(oldSwarmsSchedule)
export class OldSwarmsSweeper implements ScheduleHandler {
  constructor(
    private readonly swarms: SwarmsStore,
    private readonly children: ChildRunsStore,
    private readonly budgets: WorkBudgetsService,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.deleteSome(before, limit), { size: BATCH, stopping });
    const deleteChildren = (limit: number): Promise<number> => this.children.deleteEndedBefore(before, limit);
    await inBatches(deleteChildren, { size: CHILD_BATCH, stopping });
  }

  private async deleteSome(before: Date, limit: number): Promise<number> {
    const old = await this.swarms.endedBefore(before, limit);
    for (const { orgId, ids } of old) {
      await this.budgets.deleteAll(orgId, [...ids.map(swarmSubject), ...ids.map(swarmWorkersSubject)]);
      await this.swarms.delete(ids);
    }
    return old.reduce((sum, { ids }) => sum + ids.length, 0);
  }
}
