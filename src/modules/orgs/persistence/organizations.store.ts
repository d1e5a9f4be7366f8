import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { PlanId } from '../../plans/plan.js';
import { SlugTaken } from '../orgs.errors.js';
import type { OrgMembership } from '../../auth/principal.js';
import { Organization } from './organization.entity.js';

/** What an organization requires of sign-ins through its SSO connections. */
export interface SsoSettings {
  /** True while there is an active connection. */
  readonly isActive: boolean;
  readonly isRequired: boolean;
  readonly sessionHours: number;
  /** Owners who may enter with a passkey. */
  readonly exemptOwnerIds: readonly string[];
}

/** A change of it; what is left out stays. */
export type SsoSettingsChange = Partial<Omit<SsoSettings, 'isActive'>>;

/** An organization as one of its members sees it. */
export interface OwnOrganization extends OrgMembership {
  readonly secondFactorRequired: boolean;
  /** The longest lifetime of new keys, or null. */
  readonly keyLifetimeDays: number | null;
  readonly sso: SsoSettings;
  readonly createdAt: Date;
}

const SLUG_CONSTRAINT = 'organizations_slug_unique';

const SELECT = `
  SELECT o.id, o.slug, o.name, o.plan, m.role, o.personal_of IS NOT NULL AS personal, o.created_at AS "createdAt",
         o.second_factor_required AS "secondFactorRequired", o.key_lifetime_days AS "keyLifetimeDays",
         jsonb_build_object(
           'isActive', cardinality(o.sso_connections) > 0, 'isRequired', o.sso_required,
           'sessionHours', o.sso_session_hours, 'exemptOwnerIds', o.sso_exempt_owners
         ) AS sso
  FROM memberships m JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL`;

/**
 * Slugs and usernames are one namespace: every person has an organization whose slug is the username, so that the
 * constraint on slugs holds for both.
 */
@Injectable()
export class OrganizationsStore {
  constructor(private readonly database: Database) {}

  /** @throws {SlugTaken} `already_exists` */
  async insert(
    organization: Omit<Organization, 'authEpoch' | 'secondFactorRequired' | 'keyLifetimeDays' | `sso${string}`>,
  ): Promise<void> {
    try {
      await this.database.manager.insert(Organization, organization);
    } catch (error) {
      throw violatedConstraintOf(error) === SLUG_CONSTRAINT ? new SlugTaken(organization.slug) : error;
    }
  }

  /** Returns which of the slugs belong to an organization. */
  async takenAmong(slugs: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.manager.query<{ slug: string }[]>(
      'SELECT slug FROM organizations WHERE slug = ANY($1) AND deleted_at IS NULL',
      [slugs],
    );
    return new Set(rows.map(({ slug }) => slug));
  }

  /** @throws {SlugTaken} `already_exists` */
  async update(id: string, change: { name: string; slug: string }, at: Date): Promise<void> {
    try {
      await this.database.manager.update(Organization, { id }, { ...change, updatedAt: at });
    } catch (error) {
      throw violatedConstraintOf(error) === SLUG_CONSTRAINT ? new SlugTaken(change.slug) : error;
    }
  }

  async setSecondFactorRequired(id: string, isRequired: boolean, at: Date): Promise<void> {
    await this.database.manager.update(Organization, { id }, { secondFactorRequired: isRequired, updatedAt: at });
  }

  async setKeyLifetimeDays(id: string, days: number | null, at: Date): Promise<void> {
    await this.database.manager.update(Organization, { id }, { keyLifetimeDays: days, updatedAt: at });
  }

  /** Without a connection nothing can be required, and nobody is exempt. */
  async setSsoConnections(id: string, connectionIds: readonly string[], at: Date): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE organizations
      SET sso_connections = $2, sso_required = sso_required AND cardinality($2::text[]) > 0, updated_at = $3
      WHERE id = $1`,
      [id, connectionIds, at],
    );
  }

  async setSsoSettings(
    id: string,
    { isRequired, sessionHours, exemptOwnerIds }: Omit<SsoSettings, 'isActive'>,
    at: Date,
  ): Promise<void> {
    await this.database.manager.update(
      Organization,
      { id },
      {
        ssoRequired: isRequired,
        ssoSessionHours: sessionHours,
        ssoExemptOwners: [...exemptOwnerIds],
        updatedAt: at,
      },
    );
  }

  /** Raises the epoch of the organization and returns it. Concurrent changes of the row are raised one by one. */
  async raiseEpoch(id: string): Promise<string | undefined> {
    const [rows] = await this.database.manager.query<[{ auth_epoch: string }[], number]>(
      'UPDATE organizations SET auth_epoch = auth_epoch + 1 WHERE id = $1 RETURNING auth_epoch',
      [id],
    );
    return rows[0]?.auth_epoch;
  }

  async setPlan(id: string, plan: PlanId, at: Date): Promise<void> {
    await this.database.manager.update(Organization, { id }, { plan, updatedAt: at });
  }

  /** Lists organizations that were created before a time, deleted ones included, by id. */
  createdBefore(time: Date, after: string, limit: number): Promise<Organization[]> {
    return this.database.manager
      .createQueryBuilder(Organization, 'organization')
      .where('organization.createdAt < :time AND organization.id > :after', { time, after })
      .orderBy('organization.id')
      .limit(limit)
      .getMany();
  }

  async markDeleted(id: string, at: Date): Promise<void> {
    await this.database.manager.update(Organization, { id }, { deletedAt: at, updatedAt: at });
  }

  /** Replaces the names of a deleted organization, which may be those of a person. */
  async anonymize(id: string): Promise<void> {
    const slug = `deleted-${id.slice('org_'.length)}`;
    await this.database.manager.update(Organization, { id }, { slug, name: 'Deleted account' });
  }

  /**
   * Locks an existing organization until the transaction ends. Every change of members does this first, so that rules
   * about all members hold under concurrent changes.
   */
  async lock(id: string): Promise<Organization | undefined> {
    const organization = await this.database.manager
      .createQueryBuilder(Organization, 'organization')
      .where('organization.id = :id AND organization.deletedAt IS NULL', { id })
      .setLock('pessimistic_write')
      .getOne();
    return organization ?? undefined;
  }

  async find(id: string): Promise<Organization | undefined> {
    return (await this.database.manager.findOneBy(Organization, { id })) ?? undefined;
  }

  /** Slugs have no underscore, and ids have one. */
  async findId(idOrSlug: string): Promise<string | undefined> {
    const [row] = await this.database.manager.query<{ id: string }[]>(
      'SELECT id FROM organizations WHERE (id = $1 OR slug = $1) AND deleted_at IS NULL',
      [idOrSlug],
    );
    return row?.id;
  }

  /** Finds organizations, deleted ones included, in the order of their ids. */
  findAll(ids: readonly string[]): Promise<Organization[]> {
    return this.database.manager
      .createQueryBuilder(Organization, 'organization')
      .where('organization.id = ANY(:ids)', { ids })
      .orderBy('organization.id')
      .getMany();
  }

  /** Returns plans by organization id, without deleted organizations. */
  async plansOf(ids: readonly string[]): Promise<Map<string, PlanId>> {
    const rows = await this.database.manager.query<{ id: string; plan: PlanId }[]>(
      'SELECT id, plan FROM organizations WHERE id = ANY($1) AND deleted_at IS NULL',
      [ids],
    );
    return new Map(rows.map(({ id, plan }) => [id, plan]));
  }

  lockExisting(ids: readonly string[]): Promise<{ id: string; personal: boolean }[]> {
    return this.database.manager.query<{ id: string; personal: boolean }[]>(
      `
      SELECT id, personal_of IS NOT NULL AS personal FROM organizations
      WHERE id = ANY($1) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`,
      [ids],
    );
  }

  async knownOf(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      'SELECT id FROM organizations WHERE id = ANY($1)',
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  async endOfPage(after: string, size: number): Promise<{ last: string | undefined; count: number }> {
    const [row] = await this.database.manager.query<{ last: string | null; count: string }[]>(
      `
      SELECT max(id) AS last, count(*) AS count
      FROM (SELECT id FROM organizations WHERE id > $1 ORDER BY id LIMIT $2) AS page`,
      [after, size],
    );
    return { last: row!.last ?? undefined, count: Number(row!.count) };
  }

  /** Lists existing organizations, newest first. Without a text it lists all of them. */
  async search(
    { text, ownerId }: { readonly text: string | undefined; readonly ownerId: string | undefined },
    page: PageRequest,
  ): Promise<Page<Organization>> {
    const query = this.database.manager
      .createQueryBuilder(Organization, 'organization')
      .where('organization.deletedAt IS NULL')
      .orderBy('organization.id', 'DESC')
      .limit(page.limit + 1);
    if (text !== undefined)
      query.andWhere(
        `(organization.id = :text OR strpos(organization.slug, :lowered) > 0
          OR strpos(lower(organization.name), :lowered) > 0
          OR organization.id IN (SELECT org_id FROM memberships WHERE user_id = :ownerId AND role = 'owner'))`,
        { text, lowered: text.toLowerCase(), ownerId: ownerId ?? null },
      );
    if (page.after !== undefined) query.andWhere('organization.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  async getPersonalId(userId: string): Promise<string> {
    const { id } = await this.database.manager.findOneOrFail(Organization, {
      select: { id: true },
      where: { personalOf: userId },
    });
    return id;
  }

  async findOf(userId: string, orgId: string): Promise<OwnOrganization | undefined> {
    const [row] = await this.database.manager.query<OwnOrganization[]>(`${SELECT} WHERE m.user_id = $1 AND o.id = $2`, [
      userId,
      orgId,
    ]);
    return row;
  }

  /** Lists the user's organizations among `orgIds`, oldest first. */
  async pageOf(userId: string, orgIds: readonly string[], page: PageRequest): Promise<Page<OwnOrganization>> {
    const rows = await this.database.manager.query<OwnOrganization[]>(
      `
      ${SELECT} WHERE m.user_id = $1 AND o.id = ANY($2) AND ($3::text IS NULL OR o.id > $3) ORDER BY o.id LIMIT $4`,
      [userId, orgIds, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  /** Counts the organizations on the Free plan that the user owns, without the personal one. */
  async countFreeOwnedBy(userId: string): Promise<number> {
    const [row] = await this.database.manager.query<{ count: string }[]>(
      `
      SELECT count(*) FROM memberships m JOIN organizations o ON o.id = m.org_id
      WHERE m.user_id = $1 AND m.role = 'owner' AND o.plan = 'free' AND o.personal_of IS NULL AND o.deleted_at IS NULL`,
      [userId],
    );
    return Number(row!.count);
  }
}
