import { Injectable } from '@nestjs/common';
import { PasswordHasher } from '../../../platform/secrets/password-hasher.js';
import { COMMON_PASSWORDS } from './common-passwords.js';
import { PasswordRefused } from '../people.errors.js';

/** Shorter names occur in passwords by chance. */
const MIN_NAME_LENGTH = 4;
/** The service could not answer more calls within a few seconds. */
const MAX_WAITING = 200;

interface Account {
  readonly username: string;
  readonly email: string;
}

/** Hashes and checks passwords. It never logs or stores a password. */
@Injectable()
export class PasswordsService {
  /** A hash that belongs to no account. Checking against it takes the same time when the account does not exist. */
  private decoy: Promise<string> | undefined;
  private readonly hasher = new PasswordHasher(MAX_WAITING);

  /** @throws {PasswordRefused} `invalid_request`: the password is easy to guess. */
  requireSound(password: string, { username, email }: Account, field: string): void {
    const text = password.toLowerCase();
    const containsName = [username, email.toLowerCase()].some(
      (name) => text === name || (name.length >= MIN_NAME_LENGTH && text.includes(name)),
    );
    if (containsName)
      throw new PasswordRefused(field, 'contains_account', 'must not contain the username or the email address');
    if (COMMON_PASSWORDS.has(text)) throw new PasswordRefused(field, 'too_common', 'must not be a common password');
  }

  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** Returns false without a hash, after the same time as with one, so that the time does not reveal the account. */
  async matches(password: string, passwordHash: string | undefined): Promise<boolean> {
    this.decoy ??= this.hash('the password of nobody');
    const known = passwordHash ?? (await this.decoy);
    const matches = await this.hasher.verify(known, password);
    return matches && passwordHash !== undefined;
  }
}
