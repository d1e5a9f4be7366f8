import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Origin } from '../auth/sessions.service.js';
import { LimitExceeded } from '../limits/limits.errors.js';
import { AccountAttempts } from './attempts/account-attempts.js';
import { CredentialsInvalid } from './people.errors.js';
import type { User } from './persistence/user.entity.js';
import { UsersStore } from './persistence/users.store.js';
import { AccountSessions, type SignedIn } from './accounts/account-sessions.js';
import { AuthMetrics } from './accounts/auth.metrics.js';
import { KnownAddresses } from './accounts/known-addresses.js';
import { PasswordsService } from './accounts/passwords.service.js';

export interface SignInInput {
  /** The login is a username or an email address. */
  readonly login: string;
  readonly password: string;
}

@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly addresses: KnownAddresses,
    private readonly sessions: AccountSessions,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Opens a session. Neither the response nor its time reveals whether the account exists.
   *
   * @throws {CredentialsInvalid} `invalid_credentials`
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  async signIn({ login, password }: SignInInput, origin: Origin): Promise<SignedIn> {
    try {
      await this.attempts.signIn(origin.ip, login);
      const { user, isKnownAddress } = await this.database.apart(() => this.lookUp(login, origin));
      if (!isKnownAddress) await this.attempts.signInFromUnknownAddress(login);
      if (!(await this.passwords.matches(password, user?.passwordHash)) || user === undefined)
        throw new CredentialsInvalid();
      return await this.database.transaction(() => this.open(user, origin));
    } catch (error) {
      this.metrics.signIn(error instanceof LimitExceeded ? 'limited' : 'refused');
      throw error;
    }
  }

  /** Makes the same two queries whether or not the account exists. */
  private async lookUp(login: string, { ip }: Origin): Promise<{ user: User | undefined; isKnownAddress: boolean }> {
    const user = await this.find(login);
    return { user, isKnownAddress: await this.addresses.has(user?.id, ip) };
  }

  private find(login: string): Promise<User | undefined> {
    return login.includes('@') ? this.users.findByEmail(login) : this.users.findByUsername(login.toLowerCase());
  }

  private async open(user: User, origin: Origin): Promise<SignedIn> {
    // A new password ends every session, so no session may be opened afterwards with the old password.
    if (!(await this.users.keepsPassword(user.id, user.passwordHash))) throw new CredentialsInvalid();
    const signedIn = await this.sessions.open(user, origin);
    await this.database.afterCommit(() => {
      this.metrics.signIn('succeeded');
      return Promise.resolve();
    });
    return signedIn;
  }
}
