import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';
import { type ClientDescription, describedBy, type OauthClient } from '../domain/client-metadata.js';
import { ClientMetadataInvalid } from '../oauth.errors.js';

const PREFIX = 'reg_';
const CONTEXT = 'client id';
const MAX_BYTES = 2_000;
const SHAPE = /^reg_[\w-]{40,3000}$/;

/**
 * Clients that register get their metadata, sealed, as their id, so that registrations take no room. A client registers
 * again when the operator removes the `SECRETS_KEY` that sealed its id.
 */
@Injectable()
export class SealedClients {
  private readonly keys: KeyRing;

  constructor(config: Config) {
    this.keys = new KeyRing('SECRETS_KEY', 'oauth clients', config.secretsKeys);
  }

  /** @throws {ClientMetadataInvalid} `invalid_client_metadata` */
  register(metadata: Readonly<Record<string, unknown>>): OauthClient {
    const { name, redirectUris }: ClientDescription = describedBy(metadata);
    const text = JSON.stringify({ client_name: name, redirect_uris: redirectUris });
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new ClientMetadataInvalid(`The name and the redirect URIs take more than ${MAX_BYTES} bytes.`);
    const id = PREFIX + this.keys.encrypt(text, CONTEXT).toString('base64url');
    return { id, way: 'registration', name, host: undefined, redirectUris };
  }

  /** Returns undefined for an id that this service did not seal, or sealed with a key that it no longer has. */
  open(id: string): OauthClient | undefined {
    if (!SHAPE.test(id)) return undefined;
    try {
      const text = this.keys.decrypt(Buffer.from(id.slice(PREFIX.length), 'base64url'), CONTEXT);
      return { id, way: 'registration', host: undefined, ...describedBy(JSON.parse(text) as Record<string, unknown>) };
    } catch {
      return undefined;
    }
  }
}
