import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { ConnectionHistory } from '../connections/connection-history.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { ssoCertificatesSchedule } from './sso.job.js';

const DAY_MS = 86_400_000;
const BATCHES = { size: 100, most: 100 };
/** The urgent one first, which makes the other one needless. */
const NOTICES = [7, 30];

/** Tells owners when the last certificate of an active connection is about to expire. */
@Injectable()
@Handles(ssoCertificatesSchedule)
export class SsoCertificatesSweeper implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly connections: SsoConnectionsStore,
    private readonly history: ConnectionHistory,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    for (const days of NOTICES) await inBatches((limit) => this.notify(days, limit), { ...BATCHES, stopping });
  }

  private async notify(days: number, limit: number): Promise<number> {
    const before = new Date(this.clock.now().getTime() + days * DAY_MS);
    const ending = await this.connections.ending({ before, days, limit });
    for (const { id: connectionId, orgId } of ending)
      await this.database.transaction(async () => {
        await this.connections.noticed(connectionId, days);
        await this.history.notify({ orgId, kind: 'certificate_expires', connectionId });
      });
    return ending.length;
  }
}
