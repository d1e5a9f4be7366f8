import { Injectable } from '@nestjs/common';
import type { OrgMembership } from '../auth/principal.js';
import { OrganizationCreation } from './organizations/organization-creation.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** Personal organizations. Every user has exactly one, and its slug is the username. */
@Injectable()
export class PersonalOrgs {
  constructor(
    private readonly creation: OrganizationCreation,
    private readonly store: OrganizationsStore,
  ) {}

  /**
   * Creates the personal organization in the running transaction.
   *
   * @throws {SlugTaken} `already_exists`: an organization has the username as its slug.
   */
  create(person: { readonly id: string; readonly username: string }): Promise<{ id: string }> {
    return this.creation.createPersonal(person);
  }

  async get(userId: string): Promise<OrgMembership> {
    const organization = await this.store.findOf(userId, await this.store.getPersonalId(userId));
    if (organization === undefined) throw new Error(`${userId} has no personal organization.`);
    return organization;
  }

  getId(userId: string): Promise<string> {
    return this.store.getPersonalId(userId);
  }
}
