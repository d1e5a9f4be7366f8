import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config, type VersionedSecret } from '../../platform/config/config.js';
import { RandomBytes } from '../../platform/ids/random-bytes.js';
import { createToken, type TokenKind } from './token-format.js';

const SECRET_BYTES = 24;

export interface HashedSecret {
  readonly hash: Buffer;
  readonly pepperVersion: number;
}

/**
 * Makes tokens and the hashes that are kept of them. The tokens are random, so that a fast keyed hash is enough; the
 * pepper is not in the database, so that a copy of it alone tests no token.
 */
@Injectable()
export class SecretHasher {
  private readonly random = new RandomBytes();
  private readonly peppers: readonly VersionedSecret[];

  constructor(config: Config) {
    this.peppers = config.apiKeyPeppers;
  }

  /** A new token. It is shown once and never kept. */
  createToken(kind: TokenKind): string {
    return createToken(kind, this.random.take(SECRET_BYTES));
  }

  /** By the newest pepper. */
  hash(token: string): HashedSecret {
    const pepper = this.newest;
    return { hash: hmac(pepper, token), pepperVersion: pepper.version };
  }

  /** By every pepper that is still known, the newest first: a token may have been kept before the last change. */
  hashes(token: string): Buffer[] {
    return this.peppers.map((pepper) => hmac(pepper, token));
  }

  private get newest(): VersionedSecret {
    const [pepper] = this.peppers;
    if (pepper === undefined) throw new Error('This process has no API_KEY_PEPPER and cannot make or check tokens.');
    return pepper;
  }
}

const hmac = (pepper: VersionedSecret, token: string): Buffer =>
  createHmac('sha256', pepper.secret).update(token).digest();
