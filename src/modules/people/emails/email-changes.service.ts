import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { SessionInvalid } from '../../auth/auth.errors.js';
import type { Call } from '../../auth/caller.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { EmailChangeNotFound, EmailUnchanged } from '../people.errors.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import type { EmailChange } from './email-change.js';
import { EmailChangeCreation } from './email-change-creation.js';
import { EmailChangeHistory } from './email-change-history.js';
import { PendingEmailChange } from './pending-email-change.js';

/** Begins and cancels changes of email addresses. */
@Injectable()
export class EmailChangesService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly attempts: AccountAttempts,
    private readonly creation: EmailChangeCreation,
    private readonly pending: PendingEmailChange,
    private readonly history: EmailChangeHistory,
  ) {}

  /**
   * Sends a message to each of the two addresses. A change in progress is cancelled. Neither the result nor its time
   * reveals whether another account has the new address: only the message to that address depends on it.
   *
   * @throws {EmailUnchanged} `invalid_request`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async request(newEmail: string, call: Call): Promise<EmailChange> {
    await this.attempts.changeEmail(call.principal.user.id, newEmail);
    return this.database.transaction(async () => {
      const user = await this.lock(call);
      if (user.email.toLowerCase() === newEmail.toLowerCase()) throw new EmailUnchanged();
      await this.pending.cancel(user.id, call);
      const change = await this.creation.create(user, newEmail, call);
      await this.history.record({ change: change.fields, action: 'change_requested' }, call);
      await this.history.announce(user.id);
      return change;
    });
  }

  /** Returns the change in progress, or undefined without one. */
  find(userId: string): Promise<EmailChange | undefined> {
    return this.pending.find(userId);
  }

  /** @throws {EmailChangeNotFound} `email_change_not_found` */
  async cancel(call: Call): Promise<void> {
    await this.database.transaction(async () => {
      const { id } = await this.lock(call);
      if (!(await this.pending.cancel(id, call))) throw new EmailChangeNotFound();
      await this.history.announce(id);
    });
  }

  /** A reset of the password and a change of the address decide about one account, so they take turns. */
  private async lock({ principal: { user } }: Call): Promise<User> {
    await this.users.lockPassword(user.id);
    const found = await this.users.find(user.id);
    if (found === undefined) throw new SessionInvalid();
    return found;
  }
}
