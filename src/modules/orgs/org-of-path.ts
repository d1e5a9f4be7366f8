import { Injectable } from '@nestjs/common';
import { OrgAccessDenied } from '../auth/access.errors.js';
import type { Call } from '../auth/caller.js';
import type { OrgMembership } from '../auth/principal.js';
import type { Scope } from '../auth/scopes.js';
import { OrganizationNotFound } from './orgs.errors.js';

/** Finds the organization in a path, by its id or slug. */
@Injectable()
export class OrgOfPath {
  /**
   * @throws {KeyOrgMismatch} `key_org_mismatch`: an org-bound key names another organization, which may not exist.
   * @throws {OrganizationNotFound} `organization_not_found`: it does not exist, or the caller has no access to it.
   */
  find({ principal }: Call, orgIdOrSlug: string): OrgMembership {
    try {
      return principal.orgOf(orgIdOrSlug);
    } catch (error) {
      throw error instanceof OrgAccessDenied ? new OrganizationNotFound() : error;
    }
  }

  /**
   * {@link find}, and requires that the caller has this scope in the organization.
   *
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  require(call: Call, orgIdOrSlug: string, scope: Scope): OrgMembership {
    const org = this.find(call, orgIdOrSlug);
    call.principal.require(scope, org.id);
    return org;
  }
}
