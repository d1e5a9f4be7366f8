import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';
import type { ProviderKey } from '../persistence/provider-keys.store.js';

type Place = Pick<ProviderKey, 'orgId' | 'router'>;

/** Encrypts the provider keys of organizations with `SECRETS_KEY`. */
@Injectable()
export class ProviderKeyVault {
  private readonly keys: KeyRing;

  constructor({ secretsKeys }: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'provider keys', secretsKeys);
  }

  seal(apiKey: string, place: Place): Buffer {
    return this.keys.encrypt(apiKey, contextOf(place));
  }

  /** @throws {KeyMissing} @throws {Error} for a key of another organization or router. */
  open(sealed: Buffer, place: Place): string {
    return this.keys.decrypt(sealed, contextOf(place));
  }
}

const contextOf = ({ orgId, router }: Place): string => `${orgId} ${router}`;
