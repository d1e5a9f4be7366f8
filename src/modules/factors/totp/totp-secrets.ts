import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';

/** A secret is as long as a hash of SHA-1 (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;

/** Makes the secrets that an authenticator app shares with the service, and seals them as other secrets are. */
@Injectable()
export class TotpSecrets {
  private readonly keys: KeyRing;

  constructor(config: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'totp secrets', config.secretsKeys);
  }

  create(id: string): { readonly secret: Buffer; readonly sealed: Buffer } {
    const secret = randomBytes(SECRET_BYTES);
    return { secret, sealed: this.keys.encrypt(secret.toString('hex'), id) };
  }

  open(sealed: Buffer, id: string): Buffer {
    return Buffer.from(this.keys.decrypt(sealed, id), 'hex');
  }

  /** Returns the same secret, sealed with the newest key of the service. */
  resealed(sealed: Buffer, id: string): Buffer {
    return this.keys.encrypt(this.keys.decrypt(sealed, id), id);
  }
}
