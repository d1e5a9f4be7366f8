import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';
import type { EnvTarget } from '../project-settings.js';

/** The place that a value is bound to: an encrypted value that is copied elsewhere cannot be decrypted there. */
export interface EnvPlace {
  readonly projectId: string;
  readonly target: EnvTarget;
  readonly name: string;
}

/** Encrypts the values of environment variables with `SECRETS_KEY`. */
@Injectable()
export class EnvVault {
  private readonly keys: KeyRing;

  constructor({ secretsKeys }: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'project-env', secretsKeys);
  }

  seal(value: string, place: EnvPlace): Buffer {
    return this.keys.encrypt(value, contextOf(place));
  }

  /** @throws {KeyMissing} @throws {Error} for a value from another place. */
  open(sealed: Buffer, place: EnvPlace): string {
    return this.keys.decrypt(sealed, contextOf(place));
  }
}

const contextOf = ({ projectId, target, name }: EnvPlace): string => `${projectId} ${target} ${name}`;
