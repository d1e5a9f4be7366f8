import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../platform/time/clock.js';
import { OauthClientsService } from '../clients/oauth-clients.service.js';

/** The answer to a registration (RFC 7591 §3.2.1). */
export interface Registered {
  readonly client_id: string;
  /** Seconds since 1970. */
  readonly client_id_issued_at: number;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: 'none';
}

@Injectable()
export class ClientRegistrations {
  constructor(
    private readonly clients: OauthClientsService,
    private readonly clock: Clock,
  ) {}

  /** @throws {ClientMetadataInvalid} `invalid_client_metadata`, {TooManyAttempts} `burst_limit_exceeded` */
  async register({ body, ip }: Request): Promise<Registered> {
    const { id, name, redirectUris } = await this.clients.register(body as Record<string, unknown>, ip ?? '');
    return {
      client_id: id,
      client_id_issued_at: Math.floor(this.clock.now().getTime() / 1000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }
}
