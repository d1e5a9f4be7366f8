import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';

/** Encrypts the secrets of access keys with `SECRETS_KEY`. Each is bound to its key: elsewhere it cannot be opened. */
@Injectable()
export class AccessKeyVault {
  private readonly keys: KeyRing;

  constructor({ secretsKeys }: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'storage-access-keys', secretsKeys);
  }

  seal(secret: string, accessKeyId: string): Buffer {
    return this.keys.encrypt(secret, accessKeyId);
  }

  /** @throws {KeyMissing} @throws {Error} for the secret of another key. */
  open(sealed: Buffer, accessKeyId: string): string {
    return this.keys.decrypt(sealed, accessKeyId);
  }
}
