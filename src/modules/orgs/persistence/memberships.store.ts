import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { OrgRole } from '../../auth/org-role.js';
import type { CurrentMembership } from '../../auth/membership-directory.js';
import { AlreadyMember } from '../orgs.errors.js';
import { Membership } from './membership.entity.js';

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

  async find(orgId: string, userId: string): Promise<Membership | undefined> {
    return (await this.database.manager.findOneBy(Membership, { orgId, userId })) ?? undefined;
  }

  /** Lists the memberships of a user with the epochs of the organizations, the personal one first. */
  async listCurrent(userId: string): Promise<CurrentMembership[]> {
    const rows = await this.database.manager.query<(CurrentMembership & { authEpoch: string })[]>(
      `
      SELECT o.id, o.slug, o.name, o.plan, m.role, coalesce(o.personal_of = m.user_id, false) AS personal,
             o.auth_epoch AS "authEpoch", o.second_factor_required AS "secondFactorRequired",
             o.key_lifetime_days AS "keyLifetimeDays",
             jsonb_build_object(
               'isRequired', o.sso_required, 'connectionIds', o.sso_connections, 'sessionHours', o.sso_session_hours,
               'exemptOwnerIds', CASE WHEN m.role = 'owner' THEN o.sso_exempt_owners ELSE '{}' END
             ) AS sso
      FROM memberships m JOIN organizations o ON o.id = m.org_id
      WHERE m.user_id = $1 AND o.deleted_at IS NULL
      ORDER BY personal DESC, o.slug`,
      [userId],
    );
    return rows.map((row) => ({ ...row, authEpoch: Number(row.authEpoch) }));
  }

  /** Lists members by user id. */
  async page(orgId: string, request: PageRequest): Promise<Page<Membership>> {
    const query = this.database.manager
      .createQueryBuilder(Membership, 'membership')
      .where('membership.orgId = :orgId', { orgId })
      .orderBy('membership.userId')
      .limit(request.limit + 1);
    if (request.after !== undefined) query.andWhere('membership.userId > :after', { after: request.after });
    return pageOf(await query.getMany(), request, ({ userId }) => userId);
  }

  /** Returns the ids of all members in a fixed order, because callers lock their rows one after another. */
  async userIds(orgId: string): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      'SELECT user_id AS id FROM memberships WHERE org_id = $1 ORDER BY user_id',
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  async ownerIds(orgId: string): Promise<string[]> {
    const owners = await this.database.manager.find(Membership, {
      where: { orgId, role: 'owner' },
      order: { userId: 'ASC' },
    });
    return owners.map(({ userId }) => userId);
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
