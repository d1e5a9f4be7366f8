import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { keyFor } from '../../../platform/secrets/sealed.js';

const PURPOSE = 'github link state';
const FORM = /^(ghs_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/;

/** Signs the state that GitHub carries through the connection: an id, bound to the user who started. */
@Injectable()
export class LinkState {
  constructor(private readonly config: Config) {}

  sign(id: string, userId: string): string {
    const [newest] = this.config.secretsKeys;
    if (newest === undefined) throw new Error('This process has no SECRETS_KEY and cannot sign.');
    return `${id}.${signatureOf(newest.secret, id, userId)}`;
  }

  /** Returns the id if this service has signed the state for this user. */
  read(state: string, userId: string): string | null {
    const [, id, text] = FORM.exec(state) ?? [];
    if (id === undefined || text === undefined) return null;
    // The texts are compared, not the bytes: the last letter of base64 has unused bits, and each signature must have
    // one form.
    return this.config.secretsKeys.some(({ secret }) =>
      timingSafeEqual(Buffer.from(text), Buffer.from(signatureOf(secret, id, userId))),
    )
      ? id
      : null;
  }
}

const signatureOf = (secret: string, id: string, userId: string): string =>
  createHmac('sha256', keyFor(PURPOSE, secret)).update(`${id} ${userId}`).digest('base64url');
