import { isAtLeast, type OrgRole } from '../../auth/org-role.js';
import { RoleTooLow } from '../orgs.errors.js';

/**
 * Checks that a member can grant or revoke `role`. The caller reads the role of the member with the organization
 * locked, because it may have changed since the call began.
 *
 * @throws {RoleTooLow} `insufficient_scopes`: the role is above that of the member, or the member cannot change
 * members.
 */
export function requireRank(actorRole: OrgRole | undefined, role: OrgRole): void {
  if (actorRole === undefined || !isAtLeast(actorRole, 'admin')) throw new RoleTooLow(actorRole, 'admin');
  if (!isAtLeast(actorRole, role)) throw new RoleTooLow(actorRole, role);
}
