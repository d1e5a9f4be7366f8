import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { slugOf } from '../domain/slug.js';
import { TooManyFreeOrganizations } from '../orgs.errors.js';
import { ORG_ID } from '../orgs.ids.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import type { Organization } from '../persistence/organization.entity.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';

/** Each organization has its own budget of calls, so without a limit one user could have any number of free calls. */
const MAX_FREE_ORGANIZATIONS = 10;

export interface CreateOrganizationInput {
  readonly name: string;
  /** Without a slug, it is derived from the name. */
  readonly slug?: string;
}

/** Creates organizations with their first owner, in the running transaction. */
@Injectable()
export class OrganizationCreation {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly people: PersonDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the personal organization of a user.
   *
   * @throws {SlugTaken} `already_exists`
   */
  createPersonal({ id, username }: { id: string; username: string }): Promise<{ id: string }> {
    return this.insert({ id: this.ids.next(ORG_ID), name: username, slug: username, personalOf: id }, id);
  }

  /**
   * Creates an organization that the user owns.
   *
   * @throws {SlugTaken} `already_exists`
   * @throws {TooManyFreeOrganizations} `plan_limit_reached`
   */
  async create({ name, slug }: CreateOrganizationInput, ownerId: string): Promise<{ id: string }> {
    // This locks the row of the user, so that concurrent calls of one user are counted one after the other.
    await this.people.raiseEpoch(ownerId);
    const owned = await this.organizations.countFreeOwnedBy(ownerId);
    if (owned >= MAX_FREE_ORGANIZATIONS)
      throw new TooManyFreeOrganizations(MAX_FREE_ORGANIZATIONS, this.planSettings.pricingUrl);
    const id = this.ids.next(ORG_ID);
    return this.insert({ id, name, slug: slug ?? slugOf(name, id), personalOf: null }, ownerId);
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
}
