import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { exportJWK, type JWK } from 'jose';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';
import type { SigningKeyRow } from '../persistence/signing-keys.store.js';

/** Makes keys for ES256, and keeps their private parts as other secrets are kept. */
@Injectable()
export class SigningKeySecrets {
  private readonly keys: KeyRing;

  constructor(config: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'oauth signing keys', config.secretsKeys);
  }

  async create(id: string, createdAt: Date): Promise<SigningKeyRow> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const publicJwk = { ...(await exportJWK(publicKey)), kid: id, alg: 'ES256', use: 'sig' };
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return { id, publicJwk, privateKey: this.keys.encrypt(pem, id), createdAt };
  }

  /** The key as the authorization server signs with it. */
  async privateJwkOf(row: SigningKeyRow): Promise<JWK> {
    const key = createPrivateKey(this.keys.decrypt(row.privateKey, row.id));
    return { ...(await exportJWK(key)), kid: row.id, alg: 'ES256', use: 'sig' };
  }

  publicKeyOf({ publicJwk }: SigningKeyRow): KeyObject {
    return createPublicKey({ key: publicJwk, format: 'jwk' });
  }

  /** Returns the same private key, encrypted with the newest key of the service. */
  reencrypted({ id, privateKey }: SigningKeyRow): Buffer {
    return this.keys.encrypt(this.keys.decrypt(privateKey, id), id);
  }
}
