import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { PersonDirectory } from '../auth/person-directory.js';
import type { PlanId } from '../plans/plan.js';
import { OrganizationNotFound } from './orgs.errors.js';
import { MembershipsStore } from './persistence/memberships.store.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

export interface RegisteredOrg {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanId;
  /** The user whose personal organization it is, or null. */
  readonly personalOf: string | null;
  readonly createdAt: Date;
}

/** An organization with the people in it. */
export interface RegisteredOrgWithPeople {
  readonly org: RegisteredOrg;
  /** The usernames of the owners. */
  readonly owners: readonly string[];
  readonly members: number;
}

/** All organizations of the installation, for operators. Deleted ones are left out. */
@Injectable()
export class OrgRegister {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly people: PersonDirectory,
  ) {}

  /**
   * Lists organizations, newest first: those whose name or slug contains the text, whose id it is, and those of the
   * owner whose whole email address it is.
   */
  async search(text: string | undefined, page: PageRequest): Promise<Page<RegisteredOrg>> {
    const ownerId = text?.includes('@') === true ? await this.people.findIdByEmail(text) : undefined;
    return this.organizations.search({ text, ownerId }, page);
  }

  /** @throws {OrganizationNotFound} `organization_not_found` */
  async get(id: string): Promise<RegisteredOrgWithPeople> {
    const org = await this.organizations.find(id);
    if (org === undefined || org.deletedAt !== null) throw new OrganizationNotFound();
    const [ownerIds, memberIds] = await Promise.all([this.memberships.ownerIds(id), this.memberships.userIds(id)]);
    const usernames = await this.people.usernamesOf(ownerIds);
    return { org, owners: [...usernames.values()].sort(), members: memberIds.length };
  }
}
