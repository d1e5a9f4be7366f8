import type { OrgMembership } from './principal.js';

export interface CurrentMembership extends OrgMembership {
  /** The epoch rises whenever the permissions of the members change. */
  readonly authEpoch: number;
  /** True when members without a second factor have no access. */
  readonly secondFactorRequired: boolean;
  /** The longest lifetime of new keys that reach the organization, or null. */
  readonly keyLifetimeDays: number | null;
}

/** Gives authentication access to the organizations of users. `orgs` implements it, because it stands above `auth`. */
export abstract class MembershipDirectory {
  /** Lists the memberships of a user, the personal organization first. */
  abstract listOf(userId: string): Promise<readonly CurrentMembership[]>;

  /** Returns the id of the user's personal organization. */
  abstract personalOrgIdOf(userId: string): Promise<string>;
}
