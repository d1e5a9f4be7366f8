import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { KeyKind } from '../principal.js';

/** A key, found by one of its secrets. */
export interface KeyRecord {
  readonly keyId: string;
  readonly userId: string;
  readonly homeOrgId: string;
  readonly projectId: string | null;
  readonly kind: KeyKind;
  readonly name: string;
  readonly last4: string;
  readonly scopes: readonly string[];
  readonly orgIds: readonly string[];
  readonly allowedIps: readonly string[];
  readonly ssoOrgIds: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When this secret stops working, if it has been replaced. */
  readonly worksUntil: Date | null;
}

/** Finds keys by their secrets. It is separate from {@link ApiKeyStore} because every call depends on its speed. */
@Injectable()
export class KeyLookupStore {
  constructor(private readonly database: Database) {}

  async find(hashes: readonly Buffer[]): Promise<KeyRecord | undefined> {
    const [row] = await this.database.manager.query<KeyRecord[]>(
      `
      SELECT k.id AS "keyId", k.user_id AS "userId", k.home_org_id AS "homeOrgId", k.project_id AS "projectId",
             k.kind, k.name, s.last4, k.scopes, k.org_ids AS "orgIds", k.allowed_ips AS "allowedIps",
             k.sso_orgs AS "ssoOrgIds",
             k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", s.works_until AS "worksUntil"
      FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id
      WHERE s.hash = ANY($1)`,
      [hashes],
    );
    return row;
  }

  /** Finds a key that a grant of OAuth made. It has no secret. */
  async findGranted(keyId: string): Promise<KeyRecord | undefined> {
    const [row] = await this.database.manager.query<KeyRecord[]>(
      `
      SELECT id AS "keyId", user_id AS "userId", home_org_id AS "homeOrgId", project_id AS "projectId", kind, name,
             '' AS last4, scopes, org_ids AS "orgIds", allowed_ips AS "allowedIps", sso_orgs AS "ssoOrgIds",
             expires_at AS "expiresAt", revoked_at AS "revokedAt", NULL AS "worksUntil"
      FROM api_keys WHERE id = $1 AND source = 'oauth'`,
      [keyId],
    );
    return row;
  }
}
