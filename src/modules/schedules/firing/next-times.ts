import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Timing } from '../domain/timing.js';
import { DueSchedulesStore } from '../persistence/due-schedules.store.js';

const BATCH = 500;

/** Computes the times after the next ones, once what is due has fired. */
@Injectable()
export class NextTimes {
  constructor(
    private readonly database: Database,
    private readonly schedules: DueSchedulesStore,
  ) {}

  async prepare(stopping: AbortSignal): Promise<void> {
    await inBatches((limit) => this.database.transaction(() => this.prepareBatch(limit)), { size: BATCH, stopping });
  }

  private async prepareBatch(limit: number): Promise<number> {
    const schedules = await this.schedules.takeWithoutThen(limit);
    if (schedules.length === 0) return 0;
    const times = schedules.map((schedule) => {
      const then = Timing.of(schedule, schedule.anchorAt).next(schedule.nextAt!);
      return { id: schedule.id, thenAt: then ?? null };
    });
    await this.schedules.saveThen(times);
    return schedules.length;
  }
}
