import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Origin } from '../../auth/sessions.service.js';
import { Features } from '../../features/features.js';
import type { CheckedIdentity } from '../../identities/checked-identity.js';
import type { ShownCode } from '../../identities/external-sign-ins.service.js';
import { AccountExists, IdentityConnected, IdentityWithoutEmail } from '../../identities/identities.errors.js';
import { LimitExceeded } from '../../limits/limits.errors.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { EmailTaken } from '../people.errors.js';
import { UsersStore } from '../persistence/users.store.js';
import type { SignedIn } from './account-sessions.js';
import { AuthMetrics } from './auth.metrics.js';
import { ExternalAccounts } from './external-accounts.js';
import { PasswordsService } from './passwords.service.js';

/** Signs up people whom a provider knows and this service does not. */
@Injectable()
export class ExternalSignUp {
  constructor(
    private readonly database: Database,
    private readonly features: Features,
    private readonly users: UsersStore,
    private readonly accounts: ExternalAccounts,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Creates an account without a password, unless another account has the address, whether or not that has proven it.
   *
   * @throws {IdentityWithoutEmail} `identity_without_email`
   * @throws {AccountExists} `account_exists`
   * @throws {FeatureDisabled} `feature_disabled`
   * @throws {UsernameTaken} `username_taken`
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async signUp(shown: ShownCode, { email, provider }: CheckedIdentity, origin: Origin): Promise<SignedIn> {
    if (email === undefined) throw new IdentityWithoutEmail(provider);
    const known = await this.database.apart(() => this.users.findByEmail(email.address));
    if (known !== undefined) throw new AccountExists(provider);
    try {
      this.features.require('sign_ups');
      await this.attempts.signUp(origin.ip);
      // Nobody knows the password, and checking another one takes as long as ever.
      const passwordHash = await this.passwords.hashOfNothing();
      const signedIn = await this.database.transaction(() => this.accounts.create(shown, passwordHash, origin));
      await this.database.afterCommit(() => {
        this.metrics.signUp('succeeded');
        return Promise.resolve();
      });
      return signedIn;
    } catch (error) {
      this.metrics.signUp(error instanceof LimitExceeded ? 'limited' : 'refused');
      // Another call has created the account since.
      throw error instanceof EmailTaken || error instanceof IdentityConnected ? new AccountExists(provider) : error;
    }
  }
}
