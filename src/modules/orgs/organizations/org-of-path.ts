import { Injectable } from '@nestjs/common';
import { OrgAccessDenied } from '../../auth/access.errors.js';
import type { Call } from '../../auth/caller.js';
import type { OrgMembership } from '../../auth/principal.js';
import type { Scope } from '../../auth/scopes.js';
import { OrganizationNotFound } from '../orgs.errors.js';

/** The organization that a path names, by id or slug. */
@Injectable()
export class OrgOfPath {
  /**
   * @throws {KeyOrgMismatch} `key_org_mismatch`: an org-bound key names another one, whether or not that exists.
   * @throws {OrganizationNotFound} `organization_not_found`: there is none, or the caller does not reach it.
   */
  find({ principal }: Call, named: string): OrgMembership {
    try {
      return principal.orgOf(named);
    } catch (error) {
      throw error instanceof OrgAccessDenied ? new OrganizationNotFound() : error;
    }
  }

  /**
   * As {@link find}, for somebody who has this right there.
   *
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  require(call: Call, named: string, scope: Scope): OrgMembership {
    const org = this.find(call, named);
    call.principal.require(scope, org.id);
    return org;
  }
}
