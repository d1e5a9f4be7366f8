import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';

/** The place that a value is bound to: an encrypted value that is copied elsewhere cannot be decrypted there. */
interface SecretPlace {
  readonly agentId: string;
  readonly name: string;
}

/** Encrypts the secrets of agents with `SECRETS_KEY`. */
@Injectable()
export class AgentVault {
  private readonly keys: KeyRing;

  constructor({ secretsKeys }: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'agent-secrets', secretsKeys);
  }

  seal(value: string, { agentId, name }: SecretPlace): Buffer {
    return this.keys.encrypt(value, `${agentId} ${name}`);
  }

  /** @throws {KeyMissing} @throws {Error} for a value from another place. */
  open(sealed: Buffer, { agentId, name }: SecretPlace): string {
    return this.keys.decrypt(sealed, `${agentId} ${name}`);
  }
}
