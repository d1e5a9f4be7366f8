import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../auth-mail.job.js';
import { MembershipDirectory } from '../membership-directory.js';
import type { ShownMethods } from '../shown-methods.js';

/** Records that an owner enters an organization which requires SSO with a passkey in place of it. */
@Injectable()
export class ExemptEntries {
  constructor(
    private readonly memberships: MembershipDirectory,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
  ) {}

  /** Notes it in the running transaction and sends a message to all owners, for each organization that it opens. */
  async note(
    { methods, connectionId }: ShownMethods,
    { userId, ip }: { readonly userId: string; readonly ip: string },
  ): Promise<void> {
    if (!methods.includes('passkey')) return;
    for (const { id: orgId, sso } of await this.memberships.listOf(userId)) {
      const isExempt = sso.isRequired && sso.exemptOwnerIds.includes(userId);
      if (!isExempt || (connectionId !== undefined && sso.connectionIds.includes(connectionId))) continue;
      const target = { type: 'user', id: userId };
      await this.audit.record({ orgId, action: 'sso.exempt_entry', target }, { userId, ip });
      await this.outbox.enqueue(authMailJob, { kind: 'sso_exempt_entry', subjectId: orgId, personId: userId });
    }
  }
}
