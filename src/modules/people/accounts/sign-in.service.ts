import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { LimitExceeded } from '../../limits/limits.errors.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import { type Origin, SessionsService } from '../../auth/sessions.service.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { AccountsService } from './accounts.service.js';
import { AuthMetrics } from './auth.metrics.js';
import { KnownAddresses } from './known-addresses.js';
import { PasswordsService } from './passwords.service.js';
import { CredentialsInvalid } from '../people.errors.js';
import type { SignedIn } from './sign-up.service.js';

export interface SignInInput {
  /** The username or the email address. */
  readonly login: string;
  readonly password: string;
}

@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly addresses: KnownAddresses,
    private readonly outbox: Outbox,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Begins a session. Neither the answer nor its time tells whether there is such an account.
   *
   * @throws {CredentialsInvalid} `invalid_credentials`
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  async signIn({ login, password }: SignInInput, origin: Origin): Promise<SignedIn> {
    try {
      await this.attempts.signIn(origin.ip, login);
      const { user, isKnownAddress } = await this.database.apart(() => this.look(login, origin));
      if (!isKnownAddress) await this.attempts.signInFromUnknownAddress(login);
      if (!(await this.passwords.matches(password, user?.passwordHash)) || user === undefined)
        throw new CredentialsInvalid();
      return await this.database.transaction(() => this.open(user, origin));
    } catch (error) {
      this.metrics.signIn(error instanceof LimitExceeded ? 'limited' : 'refused');
      throw error;
    }
  }

  /** The same two queries whether or not there is such an account. */
  private async look(login: string, { ip }: Origin): Promise<{ user: User | undefined; isKnownAddress: boolean }> {
    const user = await this.find(login);
    return { user, isKnownAddress: await this.addresses.has(user?.id, ip) };
  }

  private find(login: string): Promise<User | undefined> {
    return login.includes('@') ? this.users.findByEmail(login) : this.users.findByUsername(login.toLowerCase());
  }

  private async open(user: User, origin: Origin): Promise<SignedIn> {
    // A new password ends every session; one that was begun with the old password must not come after that.
    if (!(await this.users.keepsPassword(user.id, user.passwordHash))) throw new CredentialsInvalid();
    const { id, token } = await this.sessions.open(user.id, origin);
    if (await this.addresses.note(user.id, origin.ip))
      await this.outbox.enqueue(authMailJob, { kind: 'new_sign_in', subjectId: id });
    await this.database.afterCommit(() => {
      this.metrics.signIn('succeeded');
      return Promise.resolve();
    });
    return { ...(await this.accounts.of(user)), sessionToken: token };
  }
}
