import type { OrgMembership } from './principal.js';

export interface CurrentMembership extends OrgMembership {
  /** Rises whenever what the members of the organization may do has changed. */
  readonly authEpoch: number;
}

/** What authentication asks about the organizations of a person. `orgs` implements it, which stands above `auth`. */
export abstract class MembershipDirectory {
  /** The memberships of a person, their personal organization first. */
  abstract listOf(userId: string): Promise<readonly CurrentMembership[]>;

  /** The id of the organization that the person has alone. */
  abstract personalOrgIdOf(userId: string): Promise<string>;
}
