import { Injectable } from '@nestjs/common';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../caller.js';
import { MembershipDirectory } from '../membership-directory.js';
import { PersonDirectory } from '../person-directory.js';

/** Records what happens to sessions in the audit log of the user's personal organization, and announces it. */
@Injectable()
export class SessionHistory {
  constructor(
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly audit: AuditLogService,
  ) {}

  async recordStart(id: string, userId: string, ip: string): Promise<void> {
    const orgId = await this.memberships.personalOrgIdOf(userId);
    await this.audit.record({ orgId, action: 'session.started', target: { type: 'session', id } }, { userId, ip });
  }

  /** Announces a new token. A rotation is not worth an entry in the audit log. */
  announceRotation(userId: string): Promise<void> {
    return this.people.raiseEpoch(userId);
  }

  async recordEnd(ids: readonly string[], userId: string, by: Call | AuditActor, reason: string): Promise<void> {
    const orgId = await this.memberships.personalOrgIdOf(userId);
    for (const id of ids)
      await this.audit.record(
        { orgId, action: 'session.ended', target: { type: 'session', id }, details: { reason } },
        by,
      );
    await this.people.raiseEpoch(userId);
  }
}
