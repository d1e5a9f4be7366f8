import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AuthSettings } from '../../auth/auth.settings.js';
import { AccountDeletionsStore } from '../persistence/account-deletions.store.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';

@Injectable()
export class AccountClosure {
  constructor(
    private readonly users: UsersStore,
    private readonly deletions: AccountDeletionsStore,
    private readonly settings: AuthSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Replaces what names the person by what names nobody, and notes what is left to do, in the running transaction,
   * which has locked the password.
   */
  async close(user: User, passwordHash: string): Promise<void> {
    const { id, username, email, emailVerifiedAt } = user;
    const now = this.clock.now();
    // An unverified address gets no notices either: its owner may never have signed up.
    const getsMail = !this.settings.needsVerification(emailVerifiedAt !== null);
    await this.deletions.insert({ userId: id, username, email: getsMail ? email : null, requestedAt: now });
    await this.users.anonymize(id, passwordHash, now);
  }
}
