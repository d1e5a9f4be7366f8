import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { CredentialsInvalid } from '../people.errors.js';
import { UsersStore } from '../persistence/users.store.js';
import { PasswordReplacement } from './password-replacement.js';
import { PasswordsService } from './passwords.service.js';

export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly replacement: PasswordReplacement,
  ) {}

  /**
   * Sets a new password and ends every session except that of the call.
   *
   * @throws {CredentialsInvalid} `invalid_credentials`
   * @throws {PasswordRefused} `invalid_request`
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  async change({ currentPassword, newPassword }: PasswordChange, call: Call): Promise<void> {
    const {
      user: { id },
    } = call.principal;
    await this.attempts.password(id);
    const user = await this.database.apart(() => this.users.find(id));
    if (!(await this.passwords.matches(currentPassword, user?.passwordHash)) || user === undefined)
      throw new CredentialsInvalid();
    this.passwords.requireSound(newPassword, user, 'new_password');
    const passwordHash = await this.passwords.hash(newPassword);
    await this.database.transaction(async () => {
      await this.replacement.lock(id);
      // The owner may have reset the password meanwhile, to lock out a person who knows the current one.
      if ((await this.users.find(id))?.passwordHash !== user.passwordHash) throw new CredentialsInvalid();
      await this.replacement.replace(id, passwordHash, call);
    });
  }
}
