import type { CurrentMembership } from '../membership-directory.js';
import type { OrgMembership } from '../principal.js';

interface OrgAccess {
  readonly memberships: readonly OrgMembership[];
  readonly closed: readonly OrgMembership[];
}

/**
 * Parts the organizations that a person has access to from those that require a second factor of a person who has none.
 * It holds for the keys of the person too, because a key could otherwise be made to keep the access.
 */
export function accessOf(
  { hasSecondFactor }: { readonly hasSecondFactor: boolean },
  memberships: readonly CurrentMembership[],
): OrgAccess {
  const isClosed = (membership: CurrentMembership): boolean => membership.secondFactorRequired && !hasSecondFactor;
  return {
    memberships: memberships.filter((membership) => !isClosed(membership)).map(withoutFacts),
    closed: memberships.filter(isClosed).map(withoutFacts),
  };
}

const withoutFacts = ({ id, slug, name, plan, role, personal }: CurrentMembership): OrgMembership => {
  return { id, slug, name, plan, role, personal };
};
