import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import type { Call } from '../../auth/caller.js';
import { SessionInvalid } from '../../auth/auth.errors.js';
import { AccountDepartures } from '../../orgs/account-departures.js';
import { PasswordsService } from '../accounts/passwords.service.js';
import { ConfirmationMismatch } from '../people.errors.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import { AccessRemoval } from './access-removal.js';
import { AccountClosure } from './account-closure.js';
import { accountDeletionJob } from './account-deletion.job.js';

/** Deletes the account of a caller. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly passwords: PasswordsService,
    private readonly departures: AccountDepartures,
    private readonly access: AccessRemoval,
    private readonly closure: AccountClosure,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Closes the account of the call at once, and erases what is left of it moments later. Its sessions and keys are
   * refused at their next call, and its username and email address are free.
   *
   * The organizations are locked first, then the sessions, and the row of the person last, as everywhere.
   *
   * @throws {ConfirmationMismatch} `confirmation_mismatch`
   * @throws {OnlyOwner} `last_owner`
   */
  async delete(username: string, call: Call): Promise<void> {
    const { id } = call.principal.user;
    if (username !== call.principal.user.username) throw new ConfirmationMismatch();
    const passwordHash = await this.passwords.hashOfNothing();
    await this.database.transaction(async () => {
      const user = await this.lock(id);
      const departure = await this.departures.prepare(id);
      await this.access.removeAll(id, call);
      await this.departures.complete(departure, call);
      await this.closure.close(user, passwordHash);
      await this.outbox.enqueue(accountDeletionJob, { userId: id });
    });
  }

  private async lock(id: string): Promise<User> {
    await this.users.lockPassword(id);
    const user = await this.users.find(id);
    // The second of two concurrent calls has no account any more.
    if (user === undefined || user.deletedAt !== null) throw new SessionInvalid();
    return user;
  }
}
