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
 * Creates tokens and the hashes that are stored of them. The tokens are random, so a fast keyed hash is enough. The
 * pepper is not in the database, so a copy of the database is not enough to test tokens.
 */
@Injectable()
export class SecretHasher {
  private readonly random = new RandomBytes();
  private readonly peppers: readonly VersionedSecret[];

  constructor(config: Config) {
    this.peppers = config.apiKeyPeppers;
  }

  /** Creates a token, which is returned once and never stored. */
  createToken(kind: TokenKind): string {
    return createToken(kind, this.random.take(SECRET_BYTES));
  }

  /** Hashes a token with the newest pepper. */
  hash(token: string): HashedSecret {
    const pepper = this.newest;
    return { hash: hmac(pepper, token), pepperVersion: pepper.version };
  }

  /** Hashes a token with every known pepper, newest first, because its stored hash may be older than the newest one. */
  hashes(token: string): Buffer[] {
    return this.peppers.map((pepper) => hmac(pepper, token));
  }

  private get newest(): VersionedSecret {
    const [pepper] = this.peppers;
    if (pepper === undefined) throw new Error('This process has no API_KEY_PEPPER and cannot create or check tokens.');
    return pepper;
  }
}

const hmac = (pepper: VersionedSecret, token: string): Buffer =>
  createHmac('sha256', pepper.secret).update(token).digest();
