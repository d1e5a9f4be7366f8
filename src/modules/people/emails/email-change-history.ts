import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { Call } from '../../auth/caller.js';
import { MembershipDirectory } from '../../auth/membership-directory.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import type { EmailChangeFields } from './email-change.js';

interface EmailEvent {
  readonly change: Pick<EmailChangeFields, 'id' | 'userId'>;
  readonly action:
    'change_requested' | 'change_proven' | 'change_approved' | 'change_cancelled' | 'change_failed' | 'changed';
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records what happens to changes of email addresses, and sends the messages about it. The log names no address. */
@Injectable()
export class EmailChangeHistory {
  constructor(
    private readonly memberships: MembershipDirectory,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
  ) {}

  /** Joins the running transaction. */
  async record({ change, action, details = {} }: EmailEvent, by: Call | AuditActor): Promise<void> {
    const { id, userId } = change;
    const orgId = await this.memberships.personalOrgIdOf(userId);
    await this.audit.record({ orgId, action: `email.${action}`, target: { type: 'user', id: userId }, details }, by);
    for (const kind of MAILS[action] ?? []) await this.outbox.enqueue(authMailJob, { kind, subjectId: id });
  }

  /** Lets every process notice that a change begins or ends. It locks the row of the person, which must come last. */
  announce(userId: string): Promise<void> {
    return this.people.raiseEpoch(userId);
  }
}

const MAILS: Partial<Record<EmailEvent['action'], readonly ('prove_email' | 'approve_email' | 'email_changed')[]>> = {
  change_requested: ['prove_email', 'approve_email'],
  changed: ['email_changed'],
};
