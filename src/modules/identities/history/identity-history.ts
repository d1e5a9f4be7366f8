import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { Call } from '../../auth/caller.js';
import { MembershipDirectory } from '../../auth/membership-directory.js';
import type { ExternalMethod } from '../../auth/sign-in-method.js';

interface IdentityEvent {
  readonly userId: string;
  readonly action: 'connected' | 'removed';
  readonly provider: ExternalMethod;
}

/** Records in the audit log of a person's own organization what happens to the identities of the person. */
@Injectable()
export class IdentityHistory {
  constructor(
    private readonly memberships: MembershipDirectory,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
  ) {}

  /** Joins the running transaction. */
  async record({ userId, action, provider }: IdentityEvent, by: Call | AuditActor): Promise<void> {
    const orgId = await this.memberships.personalOrgIdOf(userId);
    const target = { type: 'user', id: userId };
    await this.audit.record({ orgId, action: `identity.${action}`, target, details: { provider } }, by);
  }

  /** Notifies the person by mail. A new account needs no message that it has an identity. */
  async notify(userId: string): Promise<void> {
    await this.outbox.enqueue(authMailJob, { kind: 'identities_changed', subjectId: userId });
  }
}
