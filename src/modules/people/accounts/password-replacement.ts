import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { Call } from '../../auth/caller.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import { UsersStore } from '../persistence/users.store.js';
import { EmailTokensService } from './email-tokens.service.js';
import { WaitingChanges } from './waiting-changes.js';

/** What every new password brings about, however the user came to set it. All methods join the running transaction. */
@Injectable()
export class PasswordReplacement {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: PersonalOrgs,
    private readonly sessions: SessionsService,
    private readonly waiting: WaitingChanges,
    private readonly tokens: EmailTokensService,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Waits for sign-ins and key creations that rely on the old password, and blocks new ones. */
  lock(userId: string): Promise<void> {
    return this.users.lockPassword(userId);
  }

  /**
   * Ends the sessions of the user except that of the call, and what waits for its time. Then it sets the password, and
   * notifies the user. Sessions come first, because every change of sessions locks their rows before the row of the
   * user.
   */
  async replace(userId: string, passwordHash: string, by: Call | AuditActor): Promise<void> {
    await this.waiting.cancel(userId, by);
    await this.sessions.endAll(userId, by);
    await this.users.setPassword(userId, passwordHash, this.clock.now());
    await this.tokens.useUp(userId, 'reset_password');
    const orgId = await this.organizations.getId(userId);
    await this.audit.record({ orgId, action: 'password.changed', target: { type: 'user', id: userId } }, by);
    await this.outbox.enqueue(authMailJob, { kind: 'password_changed', subjectId: userId });
  }
}
