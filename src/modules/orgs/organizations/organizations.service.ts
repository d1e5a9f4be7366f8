import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { orgDeletedEvent } from '../org-deleted.job.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import type { Organization } from '../persistence/organization.entity.js';
import { OrganizationsStore, type OwnOrganization } from '../persistence/organizations.store.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgEpochs } from './org-epochs.js';
import { OrgOfPath } from './org-of-path.js';
import {
  KeyCannotCreateOrganizations,
  OrganizationIsPersonal,
  OrganizationNotFound,
  RoleTooLow,
  TooManyFreeOrganizations,
} from '../orgs.errors.js';
import { ORG_ID } from '../orgs.ids.js';
import { slugOf } from '../domain/slug.js';

/** Each has a budget of its own: without a bound, one person could have any number of calls for nothing. */
const MAX_FREE_ORGANIZATIONS = 10;

export interface CreateOrganizationInput {
  readonly name: string;
  /** Undefined: made from the name. */
  readonly slug?: string;
}

export interface OrganizationChange {
  readonly name?: string;
  readonly slug?: string;
}

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly database: Database,
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly invitations: InvitationsStore,
    private readonly paths: OrgOfPath,
    private readonly epochs: OrgEpochs,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * The organization that every person has alone, with the running transaction.
   *
   * @throws {SlugTaken} `already_exists`
   */
  createPersonal({ id, username }: { id: string; username: string }): Promise<{ id: string }> {
    return this.insert({ id: this.ids.next(ORG_ID), name: username, slug: username, personalOf: id }, id);
  }

  /**
   * @throws {SlugTaken} `already_exists`
   * @throws {TooManyFreeOrganizations} `plan_limit_reached`
   * @throws {KeyCannotCreateOrganizations} `org_access_denied`
   */
  async create({ name, slug }: CreateOrganizationInput, call: Call): Promise<OwnOrganization> {
    const { user, credential } = call.principal;
    if (credential.type === 'api_key' && credential.kind !== 'personal')
      throw new KeyCannotCreateOrganizations(credential.kind);
    const id = this.ids.next(ORG_ID);
    return this.database.transaction(async () => {
      // Locks the person's row, so that two of its calls at once are counted one after the other.
      await this.people.raiseEpoch(user.id);
      const owned = await this.organizations.countFreeOwnedBy(user.id);
      if (owned >= MAX_FREE_ORGANIZATIONS)
        throw new TooManyFreeOrganizations(MAX_FREE_ORGANIZATIONS, this.planSettings.pricingUrl);
      await this.insert({ id, name, slug: slug ?? slugOf(name, id), personalOf: null }, user.id);
      await this.audit.record(
        { orgId: id, action: 'org.created', target: { type: 'organization', id }, details: { name } },
        call,
      );
      return this.getOf(user.id, id);
    });
  }

  /** Those that both the caller and its key reach, the oldest first. */
  list({ principal }: Call, page: PageRequest): Promise<Page<OwnOrganization>> {
    return this.organizations.pageOf(principal.user.id, principal.orgIds, page);
  }

  /** @throws {OrganizationNotFound} `organization_not_found` */
  async get(named: string, call: Call): Promise<OwnOrganization> {
    const { id } = this.paths.require(call, named, 'orgs:read');
    return this.getOf(call.principal.user.id, id);
  }

  /**
   * @throws {SlugTaken} `already_exists`
   * @throws {OrganizationIsPersonal} `personal_organization`: its slug is the username.
   * @throws {OrganizationNotFound} `organization_not_found`
   */
  async update(named: string, change: OrganizationChange, call: Call): Promise<OwnOrganization> {
    const { id } = this.paths.require(call, named, 'orgs:write');
    return this.database.transaction(async () => {
      const before = await this.lock(id);
      const { name = before.name, slug = before.slug } = change;
      if (before.personalOf !== null && slug !== before.slug) throw new OrganizationIsPersonal();
      if (name !== before.name || slug !== before.slug) {
        await this.organizations.update(id, { name, slug }, this.clock.now());
        await this.raiseAll(id);
        const details = { before: { name: before.name, slug: before.slug }, after: { name, slug } };
        await this.audit.record(
          { orgId: id, action: 'org.renamed', target: { type: 'organization', id }, details },
          call,
        );
      }
      return this.getOf(call.principal.user.id, id);
    });
  }

  /**
   * Takes an organization away from all of its members. What was done in it stays on record, and its slug is free;
   * what others can see of it is gone moments later.
   *
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {RoleTooLow} `insufficient_scopes`: only an owner deletes.
   * @throws {OrganizationNotFound} `organization_not_found`
   */
  async delete(named: string, call: Call): Promise<void> {
    const { id } = this.paths.require(call, named, 'orgs:write');
    await this.database.transaction(async () => {
      const organization = await this.lock(id);
      if (organization.personalOf !== null) throw new OrganizationIsPersonal();
      const role = (await this.memberships.find(id, call.principal.user.id))?.role;
      if (role !== 'owner') throw new RoleTooLow(role, 'owner');

      const now = this.clock.now();
      await this.raiseAll(id);
      await this.invitations.revokeAll(id, now);
      await this.memberships.removeAll(id);
      await this.organizations.markDeleted(id, now);
      await this.outbox.publish(orgDeletedEvent, { orgId: id });
      await this.audit.record(
        {
          orgId: id,
          action: 'org.deleted',
          target: { type: 'organization', id },
          details: { slug: organization.slug },
        },
        call,
      );
    });
  }

  private async insert(
    { id, name, slug, personalOf }: Pick<Organization, 'id' | 'name' | 'slug' | 'personalOf'>,
    ownerId: string,
  ): Promise<{ id: string }> {
    const now = this.clock.now();
    const organization = {
      id,
      name,
      slug,
      personalOf,
      plan: this.planSettings.defaultPlan,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await this.organizations.insert(organization);
    await this.memberships.insert({ orgId: id, userId: ownerId, role: 'owner', createdAt: now });
    return { id };
  }

  /** Tells of a change that matters to members whichever organization their calls are for: what a name leads to. */
  private async raiseAll(id: string): Promise<void> {
    await this.epochs.raise(id);
    for (const userId of await this.memberships.userIds(id)) await this.people.raiseEpoch(userId);
  }

  private async lock(id: string): Promise<Organization> {
    const organization = await this.organizations.lock(id);
    if (organization === undefined) throw new OrganizationNotFound();
    return organization;
  }

  private async getOf(userId: string, orgId: string): Promise<OwnOrganization> {
    const organization = await this.organizations.findOf(userId, orgId);
    if (organization === undefined) throw new OrganizationNotFound();
    return organization;
  }
}
