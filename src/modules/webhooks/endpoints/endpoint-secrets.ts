import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { RandomBytes } from '../../../platform/ids/random-bytes.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';
import { secretOf } from '../webhook-signature.js';
import type { WebhookEndpoint } from '../persistence/webhook-rows.js';

const SECRET_BYTES = 24;

/** A new secret, which is shown once, and as it is stored. */
export interface NewSecret {
  readonly secret: string;
  readonly encrypted: Buffer;
}

/** Creates and reads the secrets that webhooks are signed with. */
@Injectable()
export class EndpointSecrets {
  private readonly random = new RandomBytes();
  private readonly keys: KeyRing;

  constructor(config: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'webhook secrets', config.secretsKeys);
  }

  create(endpointId: string): NewSecret {
    const secret = secretOf(this.random.take(SECRET_BYTES));
    return { secret, encrypted: this.keys.encrypt(secret, endpointId) };
  }

  /** Returns the secrets that sign now, the newest first. */
  of({ id, secret, previousSecret, previousUntil }: WebhookEndpoint, now: Date): string[] {
    const isPreviousValid = previousSecret !== null && previousUntil !== null && now < previousUntil;
    return (isPreviousValid ? [secret, previousSecret] : [secret]).map((each) => this.keys.decrypt(each, id));
  }

  /** Returns the same secrets, encrypted with the newest key. */
  reencrypted(endpoint: WebhookEndpoint): WebhookEndpoint {
    const { id, secret, previousSecret } = endpoint;
    const renew = (value: Buffer): Buffer => this.keys.encrypt(this.keys.decrypt(value, id), id);
    return { ...endpoint, secret: renew(secret), previousSecret: previousSecret && renew(previousSecret) };
  }
}
