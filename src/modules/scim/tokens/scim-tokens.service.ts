import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { type ConnectionPath, SsoProvisioningService } from '../../sso/sso-provisioning.service.js';
import { type ScimToken, ScimTokensStore } from '../persistence/scim-tokens.store.js';
import { ScimTokenExpiryRefused, ScimTokenNotFound, TooManyScimTokens } from '../scim.errors.js';
import { SCIM_TOKEN_ID } from '../scim.ids.js';

const MOST_OF_A_CONNECTION = 5;
const YEAR_MS = 365 * 86_400_000;

export interface CreateScimTokenInput {
  readonly name: string;
  /** A year from now when undefined. */
  readonly expiresAt: Date | undefined;
}

/** A token with its secret, which is returned only once. */
export interface CreatedScimToken extends ScimToken {
  readonly secret: string;
}

/** The tokens that identity providers show, as administrators manage them. Only hashes are stored. */
@Injectable()
export class ScimTokensService {
  constructor(
    private readonly database: Database,
    private readonly sso: SsoProvisioningService,
    private readonly tokens: ScimTokensStore,
    private readonly hasher: SecretHasher,
    private readonly audit: AuditLogService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the tokens that are not revoked, newest first.
   *
   * @throws {OrganizationNotFound} `organization_not_found`, {InsufficientScopes} `insufficient_scopes`
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`
   */
  async list(call: Call, path: ConnectionPath): Promise<ScimToken[]> {
    return this.tokens.list((await this.sso.get(call, path)).id);
  }

  /**
   * @throws as {@link list}. @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {TooManyScimTokens} `invalid_request`, {ScimTokenExpiryRefused} `invalid_request`
   */
  create(call: Call, path: ConnectionPath, { name, expiresAt }: CreateScimTokenInput): Promise<CreatedScimToken> {
    const at = this.clock.now();
    const latest = new Date(at.getTime() + YEAR_MS);
    if (expiresAt !== undefined && (expiresAt <= at || expiresAt > latest)) throw new ScimTokenExpiryRefused();
    return this.database.transaction(async () => {
      const connection = await this.sso.lockForUse(call, path);
      const live = (await this.tokens.list(connection.id)).filter((token) => token.expiresAt > at);
      if (live.length >= MOST_OF_A_CONNECTION) throw new TooManyScimTokens(MOST_OF_A_CONNECTION);
      const secret = this.hasher.createToken('scim');
      const token = {
        id: this.ids.next(SCIM_TOKEN_ID),
        connectionId: connection.id,
        name,
        last4: secret.slice(-4),
        createdBy: call.principal.user.id,
        createdAt: at,
        expiresAt: expiresAt ?? latest,
      };
      await this.tokens.insert({ ...token, ...this.hasher.hash(secret) });
      const target = { type: 'scim_token', id: token.id };
      const details = { connection_id: connection.id, name, expires_at: token.expiresAt.toISOString() };
      await this.audit.record({ orgId: connection.orgId, action: 'scim_token.created', target, details }, call);
      return { ...token, lastUsedAt: null, secret };
    });
  }

  /**
   * Ends a token from its next call on, in every process.
   *
   * @throws as {@link list}. @throws {ScimTokenNotFound} `scim_token_not_found`
   */
  async revoke(call: Call, path: ConnectionPath, id: string): Promise<void> {
    await this.database.transaction(async () => {
      const connection = await this.sso.lockForEnd(call, path);
      const token = await this.tokens.revoke(connection.id, id, this.clock.now());
      if (token === undefined) throw new ScimTokenNotFound();
      const target = { type: 'scim_token', id };
      const details = { connection_id: connection.id, name: token.name };
      await this.audit.record({ orgId: connection.orgId, action: 'scim_token.revoked', target, details }, call);
    });
  }
}
