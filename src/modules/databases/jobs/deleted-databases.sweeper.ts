import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { DatabaseDeletion } from '../domain/database-deletion.js';
import { RESTORABLE_FOR_MS } from '../domain/described-database.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { deletedDatabasesSchedule } from './databases.job.js';

const BATCH = 100;

@Injectable()
@Handles(deletedDatabasesSchedule)
export class DeletedDatabasesSweeper implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly databases: DatabasesStore,
    private readonly deletion: DatabaseDeletion,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - RESTORABLE_FOR_MS);
    await inBatches(
      async (limit) => {
        const ids = await this.databases.deletedBefore(before, limit);
        for (const id of ids) await this.database.transaction(() => this.deletion.removeForGood(id));
        return ids.length;
      },
      { size: BATCH, stopping },
    );
  }
}
