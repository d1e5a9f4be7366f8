import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { PlanId } from '../../plans/plan.js';
import type { OrgRole } from '../org-role.js';
import type { CallingUser, KeyKind, OrgMembership } from '../principal.js';

/** A person with what it belongs to, and the epochs at which that was so. */
export interface CallerRecord {
  readonly user: CallingUser;
  readonly userEpoch: number;
  readonly memberships: readonly (OrgMembership & { readonly epoch: number })[];
}

/** A key as one of its secrets finds it. */
export interface KeyRecord {
  readonly keyId: string;
  readonly userId: string;
  readonly homeOrgId: string;
  readonly kind: KeyKind;
  readonly name: string;
  readonly last4: string;
  readonly scopes: readonly string[];
  readonly orgIds: readonly string[];
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Of this secret: until when it goes on working, when it has been rotated away. */
  readonly worksUntil: Date | null;
  /** At which all this was so: read in the same statement, so that no change slips in between. */
  readonly userEpoch: string;
}

interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly auth_epoch: string;
}

interface MembershipRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanId;
  readonly role: OrgRole;
  readonly personal: boolean;
  readonly auth_epoch: string;
}

/**
 * What the database knows of whoever shows a credential: read in the way of a call, so with as few queries as can be.
 */
@Injectable()
export class CallerStore {
  constructor(private readonly database: Database) {}

  async findKey(hashes: readonly Buffer[]): Promise<KeyRecord | undefined> {
    const [row] = await this.database.manager.query<KeyRecord[]>(
      `
      SELECT k.id AS "keyId", k.user_id AS "userId", k.home_org_id AS "homeOrgId", k.kind, k.name, s.last4, k.scopes,
             k.org_ids AS "orgIds", k.allowed_ips AS "allowedIps", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
             s.works_until AS "worksUntil", u.auth_epoch AS "userEpoch"
      FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id JOIN users u ON u.id = k.user_id
      WHERE s.hash = ANY($1)`,
      [hashes],
    );
    return row;
  }

  /** An epoch is read no later than what it vouches for: a change in between makes it look too old, never too new. */
  async findUser(userId: string): Promise<CallerRecord | undefined> {
    const { manager } = this.database;
    const [user] = await manager.query<UserRow[]>(
      'SELECT id, username, email, email_verified_at IS NOT NULL AS email_verified, auth_epoch FROM users WHERE id = $1',
      [userId],
    );
    if (user === undefined) return undefined;
    const memberships = await manager.query<MembershipRow[]>(
      `
      SELECT o.id, o.slug, o.name, o.plan, m.role, coalesce(o.personal_of = m.user_id, false) AS personal, o.auth_epoch
      FROM memberships m JOIN organizations o ON o.id = m.org_id
      WHERE m.user_id = $1 AND o.deleted_at IS NULL
      ORDER BY personal DESC, o.slug`,
      [userId],
    );
    return {
      user: { id: user.id, username: user.username, email: user.email, emailVerified: user.email_verified },
      userEpoch: Number(user.auth_epoch),
      memberships: memberships.map(({ auth_epoch, ...membership }) => ({ ...membership, epoch: Number(auth_epoch) })),
    };
  }
}
