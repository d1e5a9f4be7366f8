import { Injectable } from '@nestjs/common';
import { type CurrentMembership, MembershipDirectory } from '../../auth/membership-directory.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';

@Injectable()
export class OrgMemberships extends MembershipDirectory {
  constructor(
    private readonly memberships: MembershipsStore,
    private readonly organizations: OrganizationsStore,
  ) {
    super();
  }

  listOf(userId: string): Promise<readonly CurrentMembership[]> {
    return this.memberships.listCurrent(userId);
  }

  personalOrgIdOf(userId: string): Promise<string> {
    return this.organizations.getPersonalId(userId);
  }
}
