import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { AuditActor } from '../../audit/audit-log.service.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { EmailTokensService } from '../accounts/email-tokens.service.js';
import { EmailTaken } from '../people.errors.js';
import { EmailChangesStore } from '../persistence/email-changes.store.js';
import { UsersStore } from '../persistence/users.store.js';
import type { EmailChange } from './email-change.js';
import { EmailChangeHistory } from './email-change-history.js';

/** What a proven and approved change brings about. It joins the running transaction, which has locked the password. */
@Injectable()
export class EmailChangeCompletion {
  constructor(
    private readonly users: UsersStore,
    private readonly changes: EmailChangesStore,
    private readonly sessions: SessionsService,
    private readonly tokens: EmailTokensService,
    private readonly history: EmailChangeHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the address, and ends all sessions but the one that asked for the change. Messages that were sent to the old
   * address stop working. Sessions come first, because every change of sessions locks their rows before the row of the
   * user.
   *
   * @throws {EmailTaken} `email_taken`: an account with the address was created meanwhile.
   */
  async complete({ fields }: EmailChange, by: AuditActor): Promise<void> {
    const { id, userId, newEmail, sessionId, approvedAt } = fields;
    const now = this.clock.now();
    if ((await this.users.findByEmail(newEmail)) !== undefined) throw new EmailTaken();
    await this.sessions.endOthers(userId, sessionId, by, 'email_changed');
    await this.tokens.useUp(userId, 'prove_email', 'approve_email', 'verify_email', 'reset_password');
    await this.changes.end(id, 'changed', now);
    await this.users.setEmail(userId, newEmail, now);
    const approvedBy = approvedAt === null ? 'waiting' : 'old_address';
    await this.history.record({ change: fields, action: 'changed', details: { approved_by: approvedBy } }, by);
  }
}
