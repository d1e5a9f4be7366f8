import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Ids } from '../../../platform/ids/ids.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { TASK_EVENT_ID } from '../ops.ids.js';
import { OpsTasksStore } from '../persistence/ops-tasks.store.js';
import { expiredClaimsSchedule } from './ops.job.js';

const KEPT_MS = 180 * 86_400_000;
const BATCHES = { size: 1_000, most: 20 };

/** Reopens tasks whose claim has expired, and deletes tasks that were resolved long ago. */
@Injectable()
@Handles(expiredClaimsSchedule)
export class ExpiredClaimsSweeper implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly tasks: OpsTasksStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      for (const { id, holder } of await this.tasks.openExpired(now)) {
        await this.tasks.record({
          id: this.ids.next(TASK_EVENT_ID),
          taskId: id,
          kind: 'claim_expired',
          actor: 'sweep',
          details: { holder },
          at: now,
        });
      }
    });
    const before = new Date(now.getTime() - KEPT_MS);
    await inBatches((limit) => this.tasks.deleteResolvedBefore(before, limit), BATCHES);
  }
}
