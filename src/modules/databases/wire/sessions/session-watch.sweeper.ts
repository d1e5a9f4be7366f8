import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../../platform/background/define-schedule.js';
import { Handles } from '../../../../platform/background/handles.js';
import { DatabaseNotifications } from '../../../../platform/database/database-notifications.js';
import { inBatches } from '../../../../platform/database/in-batches.js';
import { Log } from '../../../../platform/logging/log.js';
import { Clock } from '../../../../platform/time/clock.js';
import { WIRE_ACCESS_CHANNEL } from '../../persistence/database-credentials.store.js';
import { WireAccessStore } from '../../persistence/wire-access.store.js';
import { sessionEnded } from '../protocol/wire-refusal.js';
import { sessionWatchSchedule } from '../wire.job.js';
import { CredentialUses } from './credential-uses.js';
import { OpenSessions } from './open-sessions.js';
import type { WireSession } from './wire-session.js';

/** Expired credentials are listed no more. Their rows stay for a while, for questions about what happened. */
const KEEP_EXPIRED_MS = 7 * 86_400_000;
const BATCH = 100;

/**
 * Ends the sessions that could not begin any more: their credential was revoked or has expired, or the database was
 * deleted or has other data. It looks every two seconds, and at once when it is notified.
 */
@Injectable()
@Handles(sessionWatchSchedule)
export class SessionWatchSweeper implements ScheduleHandler, OnApplicationBootstrap {
  constructor(
    private readonly sessions: OpenSessions,
    private readonly store: WireAccessStore,
    private readonly uses: CredentialUses,
    private readonly notifications: DatabaseNotifications,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.notifications.listen(WIRE_ACCESS_CHANNEL, () => {
      this.endOver().catch((error: unknown) => {
        this.log.warn({ error }, 'Connections to project databases could not be checked. It is tried again in 2 s.');
      });
    });
  }

  async run(stopping: AbortSignal): Promise<void> {
    await this.endOver();
    await this.uses.write();
    const before = new Date(this.clock.now().getTime() - KEEP_EXPIRED_MS);
    await inBatches((limit) => this.store.deleteExpired(before, limit), { size: BATCH, stopping });
  }

  private async endOver(): Promise<void> {
    const looked = new Set(this.sessions.all);
    if (looked.size === 0) return;
    const credentials = new Set([...looked].flatMap(({ access }) => access.credentialId ?? []));
    const databases = new Set([...looked].map(({ access }) => access.databaseId));
    const valid = await this.store.validOf([...credentials], this.clock.now());
    const clusters = await this.store.clustersOf([...databases]);

    const isOver = ({ access }: WireSession): boolean =>
      (access.credentialId !== undefined && !valid.has(access.credentialId)) ||
      clusters.get(access.databaseId) !== access.clusterId;
    // A session that began meanwhile was not looked at.
    this.sessions.endWhere((session) => looked.has(session) && isOver(session), sessionEnded('Access was revoked.'));
  }
}
