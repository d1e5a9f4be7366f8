import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { AuditActor } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { GrantKeysService } from '../../auth/grant-keys.service.js';
import { KeysService, type ShownKey } from '../../auth/keys.service.js';
import { type OauthClient, redirectPlaceOf } from '../domain/client-metadata.js';
import { GrantNotFound } from '../oauth.errors.js';
import { OAUTH_GRANT_ID } from '../oauth.ids.js';
import { type GrantEndReason, type OauthGrant, OauthGrantsStore } from '../persistence/oauth-grants.store.js';
import { OauthRecordsStore } from '../persistence/oauth-records.store.js';

import { GrantHistory } from './grant-history.js';

const IDLE_MS = 30 * 86_400_000;

export interface Consent {
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly orgIds: readonly string[];
  readonly scopes: readonly string[];
  /** What the client asked for and does not get. */
  readonly refused: readonly string[];
}

/** A grant with its key, which says what it may do and whether it still works. */
export interface ShownGrant {
  readonly grant: OauthGrant;
  readonly key: ShownKey;
}

/** What people granted to OAuth clients. Each grant has a key, and the two end together. */
@Injectable()
export class OauthGrantsService {
  constructor(
    private readonly database: Database,
    private readonly grants: OauthGrantsStore,
    private readonly records: OauthRecordsStore,
    private readonly keys: KeysService,
    private readonly grantKeys: GrantKeysService,
    private readonly history: GrantHistory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a grant and its key, and returns the id of the grant.
   *
   * @throws {OrgAccessDenied} `org_access_denied`, {InsufficientScopes} `insufficient_scopes`: the person cannot create
   * keys in an organization.
   */
  make(call: Call, { client, redirectUri, orgIds, scopes, refused }: Consent): Promise<string> {
    const id = this.ids.next(OAUTH_GRANT_ID);
    const createdAt = this.clock.now();
    return this.database.transaction(async () => {
      const { key } = await this.keys.createForGrant(call, { name: client.name, scopes, orgIds });
      const grant: Parameters<OauthGrantsStore['insert']>[0] = {
        id,
        userId: key.userId,
        homeOrgId: key.homeOrgId,
        keyId: key.id,
        way: client.way,
        clientId: client.id,
        clientName: client.name,
        clientHost: client.host ?? null,
        redirectHost: redirectPlaceOf(redirectUri).host,
        scopes,
        refused,
        createdAt,
        expiresAt: idleAfter(createdAt),
      };
      await this.grants.insert(grant);
      await this.history.recordMade(grant, key.orgIds, call);
      return id;
    });
  }

  /** Lists the person's grants that have not ended, newest first, as far as the credential of the call reaches. */
  async list(call: Call, page: PageRequest): Promise<Page<ShownGrant>> {
    const { items, next } = await this.grants.listOf(call.principal.user.id, page);
    const keys = await this.keys.among(
      call,
      items.map(({ keyId }) => keyId),
    );
    const shown = items.flatMap((grant) => {
      const key = keys.get(grant.keyId);
      return key?.status === 'active' ? [{ grant, key }] : [];
    });
    return { items: shown, next };
  }

  /** @throws {GrantNotFound} `grant_not_found` */
  async get(call: Call, id: string): Promise<ShownGrant> {
    return this.shown(call, await this.grants.find(id));
  }

  /**
   * Ends a grant from the next call of its client on. Ending it again changes nothing.
   *
   * @throws {GrantNotFound} `grant_not_found`
   * @throws {KeyTooWide} `insufficient_scopes`: a key cannot end a grant with wider permissions than its own.
   */
  end(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const { grant } = await this.shown(call, await this.grants.lock(id));
      await this.keys.revoke(call, grant.keyId);
      await this.close(grant, 'ended', call);
    });
  }

  /** Ends a grant for a reason that no person gave. It does nothing when the grant has ended. */
  endFor(id: string, reason: GrantEndReason): Promise<void> {
    return this.database.transaction(async () => {
      const grant = await this.grants.lock(id);
      if (grant === undefined || grant.endedAt !== null) return;
      await this.close(grant, reason, {});
      await this.keys.revokeOfGrant(grant.keyId, {}, `grant_${reason}`);
    });
  }

  /**
   * Takes an organization away from a grant in the running transaction, and ends the grant if it was the only one.
   * Returns false for a grant that does not reach the organization.
   */
  async withdraw(id: string, orgId: string, by: Call): Promise<boolean> {
    const grant = await this.grants.lock(id);
    if (grant === undefined || grant.endedAt !== null) return false;
    const withdrawn = await this.grantKeys.withdraw(grant.keyId, orgId, by);
    if (withdrawn === undefined) return false;
    if (withdrawn.ended) {
      await this.close(grant, 'organization', by);
      return true;
    }
    await this.grants.setHome(id, withdrawn.key.homeOrgId);
    await this.history.recordEnded(grant, 'organization', [orgId], by);
    return true;
  }

  /** Returns a grant that still works, or undefined. */
  async findLive(id: string): Promise<OauthGrant | undefined> {
    const grant = await this.grants.find(id);
    if (grant === undefined || grant.endedAt !== null || grant.expiresAt <= this.clock.now()) return undefined;
    return (await this.keys.scopesOfGrantKey(grant.keyId)) === undefined ? undefined : grant;
  }

  /** Notes that tokens are issued, and returns the key that they name. */
  async use(id: string): Promise<string | undefined> {
    const grant = await this.findLive(id);
    if (grant === undefined) return undefined;
    const now = this.clock.now();
    await this.grants.prolong(id, now, idleAfter(now));
    return grant.keyId;
  }

  private async shown(call: Call, grant: OauthGrant | undefined): Promise<ShownGrant> {
    const isOwn = grant?.userId === call.principal.user.id;
    const key = isOwn ? (await this.keys.among(call, [grant.keyId])).get(grant.keyId) : undefined;
    if (grant === undefined || key === undefined) throw new GrantNotFound();
    return { grant, key };
  }

  private async close(grant: OauthGrant, reason: GrantEndReason, by: Call | AuditActor): Promise<void> {
    if (grant.endedAt !== null) return;
    await this.grants.end(grant.id, this.clock.now(), reason);
    await this.records.deleteOfGrant(grant.id);
    await this.history.recordEnded(grant, reason, await this.grantKeys.orgIdsOf(grant.keyId), by);
  }
}

const idleAfter = (at: Date): Date => new Date(at.getTime() + IDLE_MS);
