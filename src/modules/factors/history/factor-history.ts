import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { Call } from '../../auth/caller.js';
import { MembershipDirectory } from '../../auth/membership-directory.js';
import type { PasskeyCopied } from '../checks/passkey-copied.js';

type FactorAction =
  | 'added'
  | 'removed'
  | 'refused'
  | 'recovery_codes_created'
  | 'recovery_requested'
  | 'recovery_cancelled'
  | 'recovered';

interface FactorEvent {
  readonly userId: string;
  readonly action: FactorAction;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records what happens to the factors of people in the audit log of their own organization, and tells them by mail. */
@Injectable()
export class FactorHistory {
  constructor(
    private readonly memberships: MembershipDirectory,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
  ) {}

  /** Joins the running transaction. */
  async record({ userId, action, details = {} }: FactorEvent, by: Call | AuditActor): Promise<void> {
    const orgId = await this.memberships.personalOrgIdOf(userId);
    await this.audit.record({ orgId, action: `factor.${action}`, target: { type: 'user', id: userId }, details }, by);
    const kind = MAILS[action];
    if (kind !== undefined) await this.outbox.enqueue(authMailJob, { kind, subjectId: userId });
  }

  async recordCopied({ passkey: { id, userId, name } }: PasskeyCopied): Promise<void> {
    await this.record({ userId, action: 'refused', details: { factor_id: id, name, reason: 'counter' } }, {});
  }
}

const MAILS = {
  added: 'factors_changed',
  removed: 'factors_changed',
  recovery_codes_created: 'factors_changed',
  refused: 'passkey_refused',
  recovery_requested: 'factor_recovery',
  recovery_cancelled: undefined,
  recovered: 'factors_recovered',
} as const;
