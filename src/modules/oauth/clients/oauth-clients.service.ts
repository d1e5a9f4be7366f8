import { Injectable } from '@nestjs/common';
import { isListedHost } from '../../../platform/egress/listed-hosts.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import type { OauthClient } from '../domain/client-metadata.js';
import { ClientMetadataInvalid } from '../oauth.errors.js';
import { OauthSettings } from '../oauth.settings.js';
import { MetadataDocuments } from './metadata-documents.js';
import { SealedClients } from './sealed-clients.js';

const REGISTRATIONS: AttemptRule = {
  name: 'oauth_registration',
  attempts: 20,
  periodSeconds: 3_600,
  Refusal: TooManyAttempts,
};

/** The clients that people can give access to. None of them has a row. */
@Injectable()
export class OauthClientsService {
  constructor(
    private readonly documents: MetadataDocuments,
    private readonly sealed: SealedClients,
    private readonly settings: OauthSettings,
    private readonly attempts: AttemptsService,
  ) {}

  /** Returns undefined for a client that is unknown, or that the operator does not allow. */
  async find(id: string): Promise<OauthClient | undefined> {
    const client = this.sealed.open(id) ?? (await this.documents.find(id));
    return client !== undefined && this.isAllowed(client) ? client : undefined;
  }

  /**
   * True when tokens may still be issued to a client that had a grant. Nothing is fetched: the code or the refresh
   * token names the client that it belongs to, and the redirect was checked before.
   */
  mayUseTokens(id: string): boolean {
    const sealed = this.sealed.open(id);
    if (sealed !== undefined) return this.isAllowed(sealed);
    const url = this.documents.addressOf(id);
    return url !== undefined && this.isListed(url);
  }

  /**
   * @throws {ClientMetadataInvalid} `invalid_client_metadata`
   * @throws {TooManyAttempts} `burst_limit_exceeded`: more than 20 in an hour from this address.
   */
  async register(metadata: Readonly<Record<string, unknown>>, ip: string): Promise<OauthClient> {
    await this.attempts.countAddress(REGISTRATIONS, ip);
    const client = this.sealed.register(metadata);
    if (!this.isAllowed(client))
      throw new ClientMetadataInvalid('The operator allows no clients with these redirect URIs.');
    return client;
  }

  private isAllowed({ id, way, redirectUris }: OauthClient): boolean {
    return (way === 'metadata' ? [id] : redirectUris).every((uri) => this.isListed(new URL(uri)));
  }

  private isListed(url: URL): boolean {
    const { clientHosts } = this.settings;
    return clientHosts === undefined || isListedHost(url, clientHosts);
  }
}
