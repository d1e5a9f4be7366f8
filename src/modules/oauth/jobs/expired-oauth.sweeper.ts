import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { deleteExpired } from '../../../platform/database/delete-expired.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { OauthGrantsService } from '../grants/oauth-grants.service.js';
import { OauthGrantsStore } from '../persistence/oauth-grants.store.js';
import { OauthRecordsStore } from '../persistence/oauth-records.store.js';
import { expiredOauthSchedule } from './oauth.job.js';

const BATCHES = { size: 1_000, most: 20 };

@Injectable()
@Handles(expiredOauthSchedule)
export class ExpiredOauthSweeper implements ScheduleHandler {
  constructor(
    private readonly grants: OauthGrantsService,
    private readonly rows: OauthGrantsStore,
    private readonly records: OauthRecordsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    for (const id of await this.rows.idle(now, BATCHES.size)) await this.grants.endFor(id, 'idle');
    await inBatches((limit) => this.records.deleteExpired(now, limit), BATCHES);
    await deleteExpired(this.rows, now);
  }
}
