import { Injectable } from '@nestjs/common';
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import { Clock } from '../../../platform/time/clock.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { OauthClientsService } from '../clients/oauth-clients.service.js';
import { mcpResourceOf } from '../domain/addresses.js';
import { OauthGrantsService } from '../grants/oauth-grants.service.js';
import { OauthRecordsStore, type RecordModel } from '../persistence/oauth-records.store.js';

const RECORDS: readonly string[] = ['AuthorizationCode', 'Interaction', 'RefreshToken'] satisfies RecordModel[];
const TOKEN_ROUTES = new Set(['token', 'revocation']);
const nothing = (): Promise<undefined> => Promise.resolve(undefined);

/** What the authorization server keeps nothing of: sessions, and access tokens, which are signed. */
const KEEPS_NOTHING: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUserCode: nothing,
  findByUid: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

/** Where the authorization server finds and keeps its objects, by the name of their model. */
@Injectable()
export class OauthAdapters {
  constructor(
    private readonly config: Config,
    private readonly clients: OauthClientsService,
    private readonly grants: OauthGrantsService,
    private readonly records: OauthRecordsStore,
    private readonly hasher: SecretHasher,
    private readonly clock: Clock,
  ) {}

  of(model: string): Adapter {
    if (model === 'Client') return { ...KEEPS_NOTHING, find: (id) => this.findClient(id) };
    if (model === 'Grant')
      return { ...KEEPS_NOTHING, find: (id) => this.findGrant(id), destroy: (id) => this.endGrant(id) };
    return RECORDS.includes(model) ? this.ofRecords(model as RecordModel) : KEEPS_NOTHING;
  }

  private async findClient(id: string): Promise<AdapterPayload | undefined> {
    if (TOKEN_ROUTES.has(Provider.ctx?.oidc.route ?? ''))
      // The redirect was compared when the code was issued, and is part of the code.
      return this.clients.mayUseTokens(id) ? clientWith(id, ['http://127.0.0.1/']) : undefined;
    const client = await this.clients.find(id);
    return client && { ...clientWith(id, [...client.redirectUris]), client_name: client.name };
  }

  private async findGrant(id: string): Promise<AdapterPayload | undefined> {
    const grant = await this.grants.findLive(id);
    if (grant === undefined) return undefined;
    const resource = mcpResourceOf(this.config.publicUrl);
    return {
      jti: id,
      kind: 'Grant',
      iat: seconds(grant.createdAt),
      exp: seconds(grant.expiresAt),
      accountId: grant.userId,
      clientId: grant.clientId,
      resources: { [resource]: grant.scopes.join(' ') },
      ...(grant.refused.length === 0 ? {} : { rejected: { resources: { [resource]: grant.refused.join(' ') } } }),
    };
  }

  /** A client may give its grant back. Anything else that ends a grant here is the use of something used up. */
  private endGrant(id: string): Promise<void> {
    return this.grants.endFor(id, Provider.ctx?.oidc.route === 'revocation' ? 'client' : 'reuse');
  }

  private ofRecords(model: RecordModel): Adapter {
    const hashesOf = (id: string): Buffer[] => this.hasher.hashes(`oauth ${model} ${id}`);
    return {
      ...KEEPS_NOTHING,
      upsert: async (id, given, expiresIn = 0) => {
        const payload: Record<string, unknown> = { ...given };
        // The id of a code or a token is the secret itself.
        delete payload.jti;
        await this.records.save({
          hash: this.hasher.hash(`oauth ${model} ${id}`).hash,
          model,
          grantId: given.grantId ?? null,
          payload,
          expiresAt: new Date(this.clock.now().getTime() + expiresIn * 1000),
        });
      },
      find: async (id) => {
        const record = await this.records.find(model, hashesOf(id), this.clock.now());
        if (record === undefined) return undefined;
        const { payload, consumedAt } = record;
        return { ...payload, jti: id, ...(consumedAt === null ? {} : { consumed: seconds(consumedAt) }) };
      },
      consume: (id) => this.consume(model, hashesOf(id)),
      destroy: (id) => this.records.delete(model, hashesOf(id)),
      revokeByGrantId: (grantId) => this.records.deleteOfGrant(grantId),
    };
  }

  /** The second of two requests at the same time is refused as one that comes later is. */
  private async consume(model: RecordModel, hashes: readonly Buffer[]): Promise<void> {
    const now = this.clock.now();
    if (await this.records.consume(model, hashes, now)) return;
    const grantId = (await this.records.find(model, hashes, now))?.payload.grantId;
    if (typeof grantId === 'string') await this.grants.endFor(grantId, 'reuse');
    throw new errors.InvalidGrant('already used');
  }
}

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const clientWith = (id: string, redirectUris: string[]): AdapterPayload => ({
  client_id: id,
  redirect_uris: redirectUris,
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
});
