import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import type { OrgRole } from '../../auth/org-role.js';
import { OrganizationIsPersonal, OrganizationNotFound } from '../orgs.errors.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';
import { requireRank } from './rank.js';

/** Decides who can grant or revoke a role: a caller cannot grant a role above its own. */
@Injectable()
export class RoleGrants {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
  ) {}

  /**
   * Locks an organization whose members can change until the transaction ends.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {OrganizationIsPersonal} `personal_organization`
   */
  async lockShared(orgId: string): Promise<void> {
    const organization = await this.organizations.lock(orgId);
    if (organization === undefined) throw new OrganizationNotFound();
    if (organization.personalOf !== null) throw new OrganizationIsPersonal();
  }

  /** @throws {RoleTooLow} `insufficient_scopes` */
  async require(orgId: string, role: OrgRole, call: Call): Promise<void> {
    requireRank((await this.memberships.find(orgId, call.principal.user.id))?.role, role);
  }
}
