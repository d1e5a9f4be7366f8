import { Injectable } from '@nestjs/common';
import { Ids } from '../../platform/ids/ids.js';
import type { OrgMembership } from '../auth/principal.js';
import { usernamesLike } from './domain/slug.js';
import { OrganizationCreation } from './organizations/organization-creation.js';
import { ORG_ID } from './orgs.ids.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** Personal organizations. Every user has exactly one, and its slug is the username. */
@Injectable()
export class PersonalOrgs {
  constructor(
    private readonly creation: OrganizationCreation,
    private readonly store: OrganizationsStore,
    private readonly ids: Ids,
  ) {}

  /** Returns a username that is free now, like a name that another service knows the person by. */
  async freeNameLike(name: string): Promise<string> {
    const names = usernamesLike(name, this.ids.next(ORG_ID));
    const taken = await this.store.takenAmong(names);
    return names.find((each) => !taken.has(each)) ?? names.at(-1)!;
  }

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
