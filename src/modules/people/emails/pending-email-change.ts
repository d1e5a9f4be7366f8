import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { AuditActor } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { EmailTokensService } from '../accounts/email-tokens.service.js';
import { EmailChangesStore } from '../persistence/email-changes.store.js';
import type { EmailChange } from './email-change.js';
import { EmailChangeHistory } from './email-change-history.js';

/** The change of a person's email address that is in progress. */
@Injectable()
export class PendingEmailChange {
  constructor(
    private readonly changes: EmailChangesStore,
    private readonly tokens: EmailTokensService,
    private readonly history: EmailChangeHistory,
    private readonly clock: Clock,
  ) {}

  /** Returns undefined when there is none. */
  find(userId: string): Promise<EmailChange | undefined> {
    return this.changes.findPending(userId, this.clock.now());
  }

  /**
   * Cancels the change of a person in the running transaction, which has locked the password. Its tokens stop working.
   *
   * @returns false when there is none.
   */
  async cancel(userId: string, by: Call | AuditActor): Promise<boolean> {
    const id = await this.changes.cancelOf(userId, this.clock.now());
    await this.tokens.useUp(userId, 'prove_email', 'approve_email');
    if (id !== undefined) await this.history.record({ change: { id, userId }, action: 'change_cancelled' }, by);
    return id !== undefined;
  }
}
