import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageWish } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { OrgRole } from '../org-role.js';
import { AlreadyMember } from '../orgs/orgs.errors.js';
import { Membership } from './membership.entity.js';

export interface Member {
  readonly userId: string;
  readonly username: string;
  readonly role: OrgRole;
  readonly joinedAt: Date;
}

const SELECT = `
  SELECT m.user_id AS "userId", u.username, m.role, m.created_at AS "joinedAt"
  FROM memberships m JOIN users u ON u.id = m.user_id`;

@Injectable()
export class MembershipsStore {
  constructor(private readonly database: Database) {}

  /** @throws {AlreadyMember} `already_exists` */
  async insert(membership: Membership): Promise<void> {
    try {
      await this.database.manager.insert(Membership, membership);
    } catch (error) {
      throw violatedConstraintOf(error) === 'memberships_pkey' ? new AlreadyMember() : error;
    }
  }

  async find(orgId: string, userId: string): Promise<Member | undefined> {
    const [row] = await this.database.manager.query<Member[]>(`${SELECT} WHERE m.org_id = $1 AND m.user_id = $2`, [
      orgId,
      userId,
    ]);
    return row;
  }

  async hasMemberWithEmail(orgId: string, email: string): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      `${SELECT} WHERE m.org_id = $1 AND lower(u.email) = lower($2)`,
      [orgId, email],
    );
    return rows.length > 0;
  }

  /** Ordered by the id of the person. */
  async page(orgId: string, wish: PageWish): Promise<Page<Member>> {
    const rows = await this.database.manager.query<Member[]>(
      `${SELECT} WHERE m.org_id = $1 AND ($2::text IS NULL OR m.user_id > $2) ORDER BY m.user_id LIMIT $3`,
      [orgId, wish.after ?? null, wish.limit + 1],
    );
    return pageOf(rows, wish, ({ userId }) => userId);
  }

  /** Of all members, always in the same order: rows that are locked one after another must be. */
  async userIds(orgId: string): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      'SELECT user_id AS id FROM memberships WHERE org_id = $1 ORDER BY user_id',
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  countOwners(orgId: string): Promise<number> {
    return this.database.manager.countBy(Membership, { orgId, role: 'owner' });
  }

  async setRole(orgId: string, userId: string, role: OrgRole): Promise<void> {
    await this.database.manager.update(Membership, { orgId, userId }, { role });
  }

  async remove(orgId: string, userId: string): Promise<void> {
    await this.database.manager.delete(Membership, { orgId, userId });
  }

  async removeAll(orgId: string): Promise<void> {
    await this.database.manager.delete(Membership, { orgId });
  }
}
