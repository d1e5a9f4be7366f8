import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EmailTokenInvalid } from '../../auth/auth.errors.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { DoubtfulAccess } from './doubtful-access.js';
import { EmailTokensService } from './email-tokens.service.js';
import { KnownAddresses } from './known-addresses.js';
import { PasswordReplacement } from './password-replacement.js';
import { PasswordsService } from './passwords.service.js';

export interface PasswordReset {
  /** The token from the message. */
  readonly token: string;
  readonly password: string;
  readonly revokeKeys: boolean;
}

@Injectable()
export class PasswordResetService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonDirectory,
    private readonly doubtful: DoubtfulAccess,
    private readonly addresses: KnownAddresses,
    private readonly tokens: EmailTokensService,
    private readonly passwords: PasswordsService,
    private readonly replacement: PasswordReplacement,
  ) {}

  /**
   * Sets a new password with a token from a message, and ends every session. It revokes all keys and removes all
   * identities if the caller asks for it, and always if the address was not verified before: another person may have
   * signed up with the address, and created and connected them.
   *
   * @returns the number of revoked keys.
   * @throws {EmailTokenInvalid} `invalid_email_token`
   * @throws {PasswordRefused} `invalid_request`; the token stays valid.
   */
  async reset({ token, password, revokeKeys }: PasswordReset, ip: string): Promise<number> {
    const user = await this.database.apart(async () => {
      const { userId } = await this.database.transaction(() => this.tokens.get(token, 'reset_password'));
      return this.people.find(userId);
    });
    if (user === undefined) throw new EmailTokenInvalid();
    this.passwords.requireSound(password, user, 'password');
    const passwordHash = await this.passwords.hash(password);
    return this.database.transaction(async () => {
      await this.replacement.lock(user.id);
      const { email } = await this.tokens.use(token, 'reset_password');
      const by = { userId: user.id, ip };
      const current = await this.people.find(user.id);
      // The message may have been underway to an old address while the address changed.
      if (current === undefined || current.email !== email) throw new EmailTokenInvalid();
      const wasVerified = current.emailVerified;
      const revoked = revokeKeys || !wasVerified ? await this.doubtful.end(user.id, by) : 0;
      await this.replacement.replace(user.id, passwordHash, by);
      await this.addresses.forgetAll(user.id);
      // The token proves that its holder reads the mail of that address.
      await this.people.markVerified(user.id, email);
      return revoked;
    });
  }
}
