import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { SecondFactorRequired } from '../../auth/auth.errors.js';
import type { Call } from '../../auth/caller.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { SessionsService } from '../../auth/sessions.service.js';
import type { SignInMethod } from '../../auth/sign-in-method.js';
import { SecondFactorsService, type ShownFactor } from '../../factors/second-factors.service.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { CredentialsInvalid } from '../people.errors.js';
import { UsersStore } from '../persistence/users.store.js';
import { PasswordsService } from './passwords.service.js';

export interface SessionConfirmation extends ShownFactor {
  readonly password?: string | undefined;
}

/** Lets people in a session show again who they are, before they do what is dangerous. */
@Injectable()
export class SessionConfirmationService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly factors: SecondFactorsService,
    private readonly sessions: SessionsService,
    private readonly people: PersonDirectory,
  ) {}

  /**
   * The session then counts as recent for 15 minutes, in all processes. Who has a second factor shows one of them: the
   * password alone would say less than the sign-in did.
   *
   * @throws {SecondFactorRequired} `second_factor_required`
   * @throws {CredentialsInvalid} `invalid_credentials`
   * @throws {FactorRefused} `invalid_factor`
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async confirm({ password, code, passkey }: SessionConfirmation, call: Call): Promise<void> {
    const { id } = call.principal.user;
    if (code !== undefined || passkey !== undefined)
      return this.factors.prove(id, { code, passkey }, ({ method }) => this.note(call, method));
    await this.attempts.password(id);
    const user = await this.database.apart(() => this.users.find(id));
    if (!(await this.passwords.matches(password ?? '', user?.passwordHash)) || user === undefined)
      throw new CredentialsInvalid();
    if (user.secondFactor) throw new SecondFactorRequired({ methods: await this.factors.methodsOf(id) });
    return this.database.transaction(async () => {
      if (!(await this.users.keepsPassword(id, user.passwordHash))) throw new CredentialsInvalid();
      await this.note(call, 'password');
    });
  }

  private async note(call: Call, method: SignInMethod): Promise<void> {
    await this.sessions.confirm(call, [method]);
    await this.people.raiseEpoch(call.principal.user.id);
  }
}
