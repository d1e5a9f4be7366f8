import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { FactorRecoveryService } from '../../factors/factor-recovery.service.js';
import { PendingEmailChange } from '../emails/pending-email-change.js';

/** Changes of an account that take effect after a time of waiting, in which a new password stops them. */
@Injectable()
export class WaitingChanges {
  constructor(
    private readonly recoveries: FactorRecoveryService,
    private readonly emailChanges: PendingEmailChange,
  ) {}

  /** Stops them in the running transaction, which has locked the password. */
  async cancel(userId: string, by: Call | AuditActor): Promise<void> {
    await this.recoveries.cancel(userId);
    await this.emailChanges.cancel(userId, by);
  }
}
