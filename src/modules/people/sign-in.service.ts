import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SecondFactorRequired } from '../auth/auth.errors.js';
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
import { type SecondStep, SecondSteps } from './accounts/second-steps.js';

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
    private readonly steps: SecondSteps,
    private readonly attempts: AccountAttempts,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Opens a session. Neither the response nor its time reveals whether the account exists.
   *
   * @throws {CredentialsInvalid} `invalid_credentials`
   * @throws {SecondFactorRequired} `second_factor_required`: the password is right, and a factor is asked for.
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  async signIn({ login, password }: SignInInput, origin: Origin): Promise<SignedIn> {
    try {
      await this.attempts.signIn(origin.ip, login);
      const { user, isKnownAddress } = await this.database.apart(() => this.lookUp(login, origin));
      if (!isKnownAddress) await this.attempts.signInFromUnknownAddress(login);
      if (!(await this.passwords.matches(password, user?.passwordHash)) || user === undefined) {
        if (user !== undefined) this.sessions.noteRefusal(user.id, 'password', origin);
        throw new CredentialsInvalid();
      }
      const open = (): Promise<SignedIn | SecondStep> => this.database.transaction(() => this.open(user, origin));
      // A call that asks for a factor is refused, which rolls its transaction back, and the token must remain.
      const result = await (user.secondFactor ? this.database.apart(open) : open());
      if ('token' in result) throw new SecondFactorRequired(result);
      return result;
    } catch (error) {
      this.metrics.signIn(resultOf(error), 'password');
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

  private async open(user: User, origin: Origin): Promise<SignedIn | SecondStep> {
    // A new password ends every session, so no session may be opened afterwards with the old password.
    if (!(await this.users.keepsPassword(user.id, user.passwordHash))) throw new CredentialsInvalid();
    // The person may have added the first factor since, which ended the sessions without one.
    if ((await this.users.find(user.id))?.secondFactor === true)
      return this.steps.begin({ userId: user.id, method: 'password' }, user.secondFactor);
    const signedIn = await this.sessions.open(user, origin, { methods: ['password'] });
    await this.database.afterCommit(() => {
      this.metrics.signIn('succeeded', 'password');
      return Promise.resolve();
    });
    return signedIn;
  }
}

function resultOf(error: unknown): 'limited' | 'challenged' | 'refused' {
  if (error instanceof LimitExceeded) return 'limited';
  return error instanceof SecondFactorRequired ? 'challenged' : 'refused';
}
