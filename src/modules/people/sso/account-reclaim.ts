import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit/audit-log.service.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { FactorsService } from '../../factors/factors.service.js';
import { DoubtfulAccess } from '../accounts/doubtful-access.js';
import { KnownAddresses } from '../accounts/known-addresses.js';
import { WaitingChanges } from '../accounts/waiting-changes.js';
import { UsersStore } from '../persistence/users.store.js';

/** Hands an account to the person whose address it has. */
@Injectable()
export class AccountReclaim {
  constructor(
    private readonly users: UsersStore,
    private readonly people: PersonDirectory,
    private readonly waiting: WaitingChanges,
    private readonly sessions: SessionsService,
    private readonly doubtful: DoubtfulAccess,
    private readonly factors: FactorsService,
    private readonly addresses: KnownAddresses,
  ) {}

  /**
   * Ends everything that opens an account whose address nobody has proven, in the running transaction,
   * which has locked the password: another person may have signed up with the address and waits in it.
   *
   * @param passwordHash that of a password that nobody knows.
   */
  async reclaim(userId: string, passwordHash: string, by: AuditActor): Promise<void> {
    await this.waiting.cancel(userId, by);
    await this.doubtful.end(userId, by, 'account_reclaimed');
    await this.sessions.endAll(userId, by, 'account_reclaimed');
    await this.factors.eraseAll(userId);
    await this.addresses.forgetAll(userId);
    await this.users.removePassword(userId, passwordHash);
    await this.people.noteSecondFactor(userId, false);
  }
}
