import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { OrganizationsStore } from '../persistence/organizations.store.js';
import type { User } from '../persistence/user.entity.js';
import type { CallingUser, OrgMembership } from '../principal.js';

/** What sign-up and sign-in tell of a person. */
export interface Account {
  readonly user: CallingUser;
  /** The person's own. */
  readonly organization: OrgMembership;
}

@Injectable()
export class AccountsService {
  constructor(private readonly organizations: OrganizationsStore) {}

  async of({ id, username, email, emailVerifiedAt }: User): Promise<Account> {
    const organization = await this.organizations.findOf(id, await this.organizations.getPersonalId(id));
    assert(organization !== undefined, `${id} has no organization of their own.`);
    return { user: { id, username, email, emailVerified: emailVerifiedAt !== null }, organization };
  }
}
