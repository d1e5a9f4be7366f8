import type { OrgMembership } from './principal.js';

export interface CurrentMembership extends OrgMembership {
  /** The epoch rises whenever the permissions of the members change. */
  readonly authEpoch: number;
}

/** Gives authentication access to the organizations of users. `orgs` implements it, because it stands above `auth`. */
export abstract class MembershipDirectory {
  /** Lists the memberships of a user, the personal organization first. */
  abstract listOf(userId: string): Promise<readonly CurrentMembership[]>;

  /** Returns the id of the user's personal organization. */
  abstract personalOrgIdOf(userId: string): Promise<string>;
}
