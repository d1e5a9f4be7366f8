import { isAtLeast, type OrgRole } from '../../auth/org-role.js';
import { RoleTooLow } from '../orgs.errors.js';

/**
 * Asks, with the organization locked, whether somebody may give or take `role`: what they were when the call began may
 * have changed.
 *
 * @throws {RoleTooLow} `insufficient_scopes`: it is above theirs, or they may change no members at all by now.
 */
export function requireRank(actorRole: OrgRole | undefined, role: OrgRole): void {
  if (actorRole === undefined || !isAtLeast(actorRole, 'admin')) throw new RoleTooLow(actorRole, 'admin');
  if (!isAtLeast(actorRole, role)) throw new RoleTooLow(actorRole, role);
}
