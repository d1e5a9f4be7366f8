import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { errors, type InteractionResults } from 'oidc-provider';
import { OauthClientsService } from '../clients/oauth-clients.service.js';
import type { ClientRequest } from '../consent/consent-page.js';
import { requestedScopesOf } from '../domain/grantable-scopes.js';
import { OauthProvider } from '../provider/oauth-provider.js';
import { OauthGateway } from './oauth-gateway.js';

/** The requests of clients that wait for the answer of a person. Each belongs to the browser that began it. */
@Injectable()
export class ClientRequests {
  constructor(
    private readonly gateway: OauthGateway,
    private readonly provider: OauthProvider,
    private readonly clients: OauthClientsService,
  ) {}

  /** Returns undefined for a request of another browser, and for one that was answered or has expired. */
  async find(request: Request, response: Response): Promise<ClientRequest | undefined> {
    const { provider } = await this.provider.get();
    try {
      const { uid, params, result } = await provider.interactionDetails(this.gateway.asPublic(request), response);
      if (uid !== request.params.uid || result !== undefined) return undefined;
      const { client_id: clientId, redirect_uri: redirectUri, scope } = params;
      if (typeof clientId !== 'string' || typeof redirectUri !== 'string') return undefined;
      const client = await this.clients.find(clientId);
      const scopes = requestedScopesOf(typeof scope === 'string' ? scope : undefined);
      return client && { uid, client, redirectUri, scopes };
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    }
  }

  /** Leads the browser back to the client, with a code or the reason why there is none. */
  async finish(request: Request, response: Response, result: InteractionResults): Promise<void> {
    const { provider } = await this.provider.get();
    await provider.interactionFinished(this.gateway.asPublic(request), response, result, {
      mergeWithLastSubmission: false,
    });
  }
}
