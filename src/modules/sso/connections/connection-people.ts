import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { IdentitiesService } from '../../identities/identities.service.js';

/** The people who sign in through a connection. */
@Injectable()
export class ConnectionPeople {
  constructor(
    private readonly identities: IdentitiesService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Forgets who they are at the provider, in the running transaction, and ends their sessions, except that of the call.
   *
   * @returns how many they were.
   */
  async forget(connectionId: string, by: Call | AuditActor): Promise<number> {
    const userIds = await this.identities.removeAllThrough(connectionId);
    for (const userId of userIds) await this.sessions.endOpenedThrough({ provider: 'sso', connectionId }, userId, by);
    return userIds.length;
  }

  /** Ends sign-ins that have begun and not ended, in the running transaction. */
  endSignIns(connectionId: string): Promise<void> {
    return this.identities.endSignInsThrough(connectionId);
  }
}
