import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';
import type { SsoConnection } from './sso-connection.js';

/** Encrypts what connections keep secret: a client secret, or the key that signs SAML requests. */
@Injectable()
export class ConnectionSecrets {
  private readonly keys: KeyRing;

  constructor(config: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'sso secrets', config.secretsKeys);
  }

  seal(secret: string, connectionId: string): Buffer {
    return this.keys.encrypt(secret, connectionId);
  }

  /** Returns the secret of a connection, of which each type has one. */
  of(connection: SsoConnection): string {
    return this.keys.decrypt(sealedOf(connection), connection.id);
  }

  /** Returns the same secret, encrypted with the newest key. */
  resealed(connection: SsoConnection): Buffer {
    return this.seal(this.of(connection), connection.id);
  }
}

export const sealedOf = (connection: SsoConnection): Buffer =>
  connection.type === 'oidc' ? connection.oidc.clientSecret : connection.saml.spKey;
