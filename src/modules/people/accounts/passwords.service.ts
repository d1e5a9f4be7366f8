import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { COMMON_PASSWORDS } from './common-passwords.js';
import { PasswordRefused } from '../people.errors.js';
import { Turns } from './turns.js';

/** Argon2id, the library's default, by the least that OWASP recommends: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** A shorter name is found in any password by chance. */
const TELLING_LENGTH = 4;
/** More could not be answered within some seconds. */
const MOST_WAITING = 200;

interface Account {
  readonly username: string;
  readonly email: string;
}

/** Hashes and checks passwords; what they are is written nowhere. */
@Injectable()
export class PasswordsService {
  /** Of no account: what a password is checked against when there is none, for the same work. */
  private decoy: Promise<string> | undefined;
  /** A hash keeps a processor busy for some 25 ms: one is left for everybody else's calls. */
  private readonly turns = new Turns({ atOnce: Math.max(1, availableParallelism() - 1), mostWaiting: MOST_WAITING });

  /** @throws {PasswordRefused} `invalid_request`: it is what a guesser tries first. */
  requireSound(password: string, { username, email }: Account, field: string): void {
    const text = password.toLowerCase();
    const telling = [username, email.toLowerCase()].some(
      (name) => text === name || (name.length >= TELLING_LENGTH && text.includes(name)),
    );
    if (telling)
      throw new PasswordRefused(field, 'contains_account', 'must not contain the username or the email address');
    if (COMMON_PASSWORDS.has(text)) throw new PasswordRefused(field, 'too_common', 'must not be a common password');
  }

  hash(password: string): Promise<string> {
    return this.turns.take(() => hash(normal(password), COST));
  }

  /** Takes as long without a hash, where the account is unknown, as with one; and is then false. */
  async matches(password: string, passwordHash: string | undefined): Promise<boolean> {
    this.decoy ??= this.hash('the password of nobody');
    const known = passwordHash ?? (await this.decoy);
    const matches = await this.turns.take(() => verify(known, normal(password)));
    return matches && passwordHash !== undefined;
  }
}

/** Keyboards write the same character in different ways. */
const normal = (password: string): string => password.normalize('NFKC');
