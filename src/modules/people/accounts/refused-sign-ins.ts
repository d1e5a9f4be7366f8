import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { MembershipDirectory } from '../../auth/membership-directory.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';

/** More of them say nothing new, and a caller who guesses must not fill the log. */
const RECORDED: AttemptRule = {
  name: 'refused_sign_in_recorded',
  attempts: 20,
  periodSeconds: 3_600,
  Refusal: TooManyAttempts,
};

/** What was shown and is wrong. */
export type RefusedMethod = 'password' | 'second_factor';

/** Records in the audit log of a person's own organization that a sign-in was refused. */
@Injectable()
export class RefusedSignIns {
  constructor(
    private readonly database: Database,
    private readonly attempts: AttemptsService,
    private readonly memberships: MembershipDirectory,
    private readonly audit: AuditLogService,
    private readonly log: Log,
  ) {}

  /**
   * Returns at once, and records afterwards: the response must take as long as for an account that does not exist. At
   * most 20 an hour are recorded for a person.
   */
  note(userId: string, method: RefusedMethod, ip: string): void {
    this.database
      .apart(() => this.record(userId, method, ip))
      .catch((error: unknown) => {
        if (!(error instanceof TooManyAttempts)) this.log.warn({ error }, 'A refused sign-in was not recorded.');
      });
  }

  private async record(userId: string, method: RefusedMethod, ip: string): Promise<void> {
    await this.attempts.count(RECORDED, userId);
    await this.database.transaction(async () => {
      const orgId = await this.memberships.personalOrgIdOf(userId);
      const target = { type: 'user', id: userId };
      // The actor is unknown: it may be anyone.
      await this.audit.record({ orgId, action: 'session.refused', target, details: { method } }, { ip });
    });
  }
}
