import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { DatabaseHostsStore } from '../persistence/database-hosts.store.js';
import { DatabaseOperationsStore } from '../persistence/database-operations.store.js';
import { lostCreationsSchedule } from './databases.job.js';

/** A host that only starts again is back by then. */
const UNSEEN_MS = 60_000;

@Injectable()
@Handles(lostCreationsSchedule)
export class LostCreationsSweeper implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly hosts: DatabaseHostsStore,
    private readonly operations: DatabaseOperationsStore,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    const host = await this.hosts.leastUsed();
    if (host === undefined) return;
    const moved = await this.database.transaction(() =>
      this.operations.moveCreations(host.id, { unseenMs: UNSEEN_MS }),
    );
    if (moved > 0) this.log.warn({ moved, hostId: host.id }, 'Databases of a lost host are created by another one.');
  }
}
