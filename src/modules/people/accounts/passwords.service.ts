import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { RandomBytes } from '../../../platform/ids/random-bytes.js';
import { PasswordHasher } from '../../../platform/secrets/password-hasher.js';
import { PasswordRefused } from '../people.errors.js';
import { StolenPasswords } from './stolen-passwords.js';

/** Shorter names occur in passwords by chance. */
const MIN_NAME_LENGTH = 4;
/** The product is called so. The name of its host is added to these words. */
const PRODUCT_WORDS = ['service', 'platform'];
/** A password with such words must have this many other letters and digits. */
const MIN_OTHER_LETTERS = 8;
/** The service could not answer more calls within a few seconds. */
const MAX_WAITING = 200;
const SECRET_BYTES = 32;

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
  private readonly random = new RandomBytes();

  /** The words that a person would try first at this service. */
  private readonly ownWords: readonly string[];

  constructor(
    private readonly stolen: StolenPasswords,
    { publicUrl }: Config,
  ) {
    const labels = new URL(publicUrl).hostname.split('.').filter(({ length }) => length >= MIN_NAME_LENGTH);
    this.ownWords = [...PRODUCT_WORDS, ...labels];
  }

  /** @throws {PasswordRefused} `invalid_request`: the password is easy to guess, or known from elsewhere. */
  requireSound(password: string, { username, email }: Account, field: string): void {
    const text = password.toLowerCase();
    const containsName = [username, email.toLowerCase()].some(
      (name) => text === name || (name.length >= MIN_NAME_LENGTH && text.includes(name)),
    );
    if (containsName)
      throw new PasswordRefused(field, 'contains_account', 'must not contain the username or the email address');
    if (this.isMadeOfOwnWords(text))
      throw new PasswordRefused(field, 'contains_service', 'must contain more than the name of this service');
    if (this.stolen.has(password))
      throw new PasswordRefused(field, 'too_common', 'must not be in the lists of stolen passwords');
  }

  private isMadeOfOwnWords(text: string): boolean {
    const rest = this.ownWords.reduce((left, word) => left.replaceAll(word, ''), text);
    return rest !== text && rest.replaceAll(/[^\p{L}\p{N}]/gu, '').length < MIN_OTHER_LETTERS;
  }

  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** A hash that no password fits. */
  hashOfNothing(): Promise<string> {
    return this.hash(this.random.take(SECRET_BYTES).toString('base64url'));
  }

  /** Returns false without a hash, after the same time as with one, so that the time does not reveal the account. */
  async matches(password: string, passwordHash: string | undefined): Promise<boolean> {
    this.decoy ??= this.hash('the password of nobody');
    const known = passwordHash ?? (await this.decoy);
    const matches = await this.hasher.verify(known, password);
    return matches && passwordHash !== undefined;
  }
}
