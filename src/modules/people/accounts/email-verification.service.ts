import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { Call } from '../../auth/caller.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { EmailTokensService } from './email-tokens.service.js';

/** Verifies that users can read the mail of their email addresses. */
@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly database: Database,
    private readonly organizations: PersonalOrgs,
    private readonly tokens: EmailTokensService,
    private readonly people: PersonDirectory,
    private readonly attempts: AccountAttempts,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
  ) {}

  /** @throws {EmailTokenInvalid} `invalid_email_token` */
  async verify(token: string, ip: string): Promise<void> {
    await this.database.transaction(async () => {
      const { userId, email } = await this.tokens.use(token, 'verify_email');
      await this.people.markVerified(userId, email);
      await this.people.raiseEpoch(userId);
      const orgId = await this.organizations.getId(userId);
      await this.audit.record(
        { orgId, action: 'email.verified', target: { type: 'user', id: userId } },
        { userId, ip },
      );
    });
  }

  /**
   * Sends the message again, unless the address is already verified.
   *
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async resend({ principal: { user } }: Call): Promise<void> {
    await this.attempts.resendVerification(user.id);
    if (user.emailVerified) return;
    await this.database.transaction(() =>
      this.outbox.enqueue(authMailJob, { kind: 'verify_email', subjectId: user.id }),
    );
  }
}
