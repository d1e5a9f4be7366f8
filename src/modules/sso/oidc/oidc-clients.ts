import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../platform/time/clock.js';
import { OidcClient } from '../../identities/oidc-client.js';
import { ProviderHttp } from '../../identities/provider-http.js';
import { ConnectionSecrets } from '../connections/connection-secrets.js';
import { ProviderReader } from '../connections/provider-reader.js';
import type { OidcConnection } from '../connections/sso-connection.js';

const MOST = 500;
/** Groups come as a claim: a scope for them is known to few providers, and others refuse what they do not know. */
const PARAMETERS = { scope: 'openid email profile' };

/** Clients of the issuers of connections, which remember metadata and keys. A changed connection has a new one. */
@Injectable()
export class OidcClients {
  private readonly known = new LRUCache<string, OidcClient>({ max: MOST });

  constructor(
    private readonly secrets: ConnectionSecrets,
    private readonly reader: ProviderReader,
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {}

  of(connection: OidcConnection): OidcClient {
    const key = `${connection.id} ${connection.updatedAt.getTime()}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { issuer, clientId } = connection.oidc;
    const facts = {
      issuer,
      clientId,
      clientSecret: this.secrets.of(connection),
      trusted: this.reader.trustedOf(issuer),
      parameters: PARAMETERS,
    };
    const client = new OidcClient(facts, this.http, this.clock);
    this.known.set(key, client);
    return client;
  }
}
