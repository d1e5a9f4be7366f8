import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { EmailToken, EmailTokenPurpose } from '../persistence/email-token.entity.js';
import { EmailTokensStore } from '../persistence/email-tokens.store.js';
import type { User } from '../persistence/user.entity.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { tokenKindOf } from '../../auth/token-format.js';
import { EmailTokenInvalid } from '../../auth/auth.errors.js';
import { EMAIL_CHANGE_LIFETIME_MS } from '../emails/email-change.js';
import { EMAIL_TOKEN_ID } from '../people.ids.js';

/** Anyone who reads the mail can reset the password, so a reset token lives only for an hour. */
const LIFETIME_MS: Record<EmailTokenPurpose, number> = {
  verify_email: 24 * 3_600_000,
  reset_password: 3_600_000,
  prove_email: EMAIL_CHANGE_LIFETIME_MS,
  approve_email: EMAIL_CHANGE_LIFETIME_MS,
};

/** Manages tokens that prove, once, that their holder can read the mail of an address. */
@Injectable()
export class EmailTokensService {
  constructor(
    private readonly tokens: EmailTokensStore,
    private readonly hasher: SecretHasher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Creates a token. Those of earlier messages stay valid, because messages may arrive in another order. */
  async create({ id, email }: Pick<User, 'id' | 'email'>, purpose: EmailTokenPurpose): Promise<string> {
    const token = this.hasher.createToken('mail');
    const now = this.clock.now();
    await this.tokens.insert({
      id: this.ids.next(EMAIL_TOKEN_ID),
      userId: id,
      purpose,
      email,
      tokenHash: this.hasher.hash(token).hash,
      createdAt: now,
      expiresAt: new Date(now.getTime() + LIFETIME_MS[purpose]),
      usedAt: null,
    });
    return token;
  }

  /**
   * Finds a token for one of several purposes without using it up. Inside a transaction, the token is locked until the
   * end.
   *
   * @throws {EmailTokenInvalid} `invalid_email_token`
   */
  async get(token: string, ...purposes: EmailTokenPurpose[]): Promise<EmailToken> {
    const found =
      tokenKindOf(token) === 'mail'
        ? await this.tokens.findUsable(this.hasher.hashes(token), purposes, this.clock.now())
        : undefined;
    if (found === undefined) throw new EmailTokenInvalid();
    return found;
  }

  /**
   * Uses up a token in the running transaction, together with all other tokens of the user for the same purpose.
   *
   * @throws {EmailTokenInvalid} `invalid_email_token`
   */
  async use(token: string, ...purposes: EmailTokenPurpose[]): Promise<EmailToken> {
    const found = await this.get(token, ...purposes);
    await this.useUp(found.userId, found.purpose);
    return found;
  }

  async useUp(userId: string, ...purposes: EmailTokenPurpose[]): Promise<void> {
    for (const purpose of purposes) await this.tokens.useUp(userId, purpose, this.clock.now());
  }
}
