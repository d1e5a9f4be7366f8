import { Injectable } from '@nestjs/common';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../caller.js';
import { MembershipDirectory } from '../membership-directory.js';
import { PersonDirectory } from '../person-directory.js';
import type { ShownMethods } from '../shown-methods.js';
import type { SignInMethod } from '../sign-in-method.js';
import { ExemptEntries } from './exempt-entries.js';

/** Records what happens to sessions in the audit log of the user's personal organization, and announces it. */
@Injectable()
export class SessionHistory {
  constructor(
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly audit: AuditLogService,
    private readonly exemptEntries: ExemptEntries,
  ) {}

  async recordStart(
    id: string,
    shown: ShownMethods,
    by: { readonly userId: string; readonly ip: string },
    details?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const orgId = await this.memberships.personalOrgIdOf(by.userId);
    const target = { type: 'session', id };
    await this.audit.record({ orgId, action: 'session.started', target, ...(details && { details }) }, by);
    await this.exemptEntries.note(shown, by);
  }

  /** Notes what the person has shown in a session that goes on. */
  async noteConfirmation(
    methods: readonly SignInMethod[],
    { principal: { user, credential }, ip }: Call,
  ): Promise<void> {
    const connectionId = credential.type === 'session' ? credential.signIn?.connection?.id : undefined;
    await this.exemptEntries.note({ methods, connectionId }, { userId: user.id, ip });
  }

  /** Announces a change that is not worth an entry in the audit log, such as a new token. */
  announceChange(userId: string): Promise<void> {
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
