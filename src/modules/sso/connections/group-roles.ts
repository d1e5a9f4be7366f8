import { isAtLeast } from '../../auth/org-role.js';
import type { ManagedRole } from '../../orgs/managed-memberships.js';
import type { GroupRole } from './sso-connection.js';

/** Returns the highest role that one of the groups gives, or undefined when none does. */
export function roleOfGroups(groups: readonly string[], rules: readonly GroupRole[]): ManagedRole | undefined {
  const given = new Set(groups);
  return rules
    .filter(({ group }) => given.has(group))
    .map(({ role }) => role)
    .reduce<ManagedRole | undefined>(
      (best, role) => (best !== undefined && isAtLeast(best, role) ? best : role),
      undefined,
    );
}
