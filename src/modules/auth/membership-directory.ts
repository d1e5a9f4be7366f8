import type { OrgMembership } from './principal.js';

interface SsoRule {
  /** True when the membership counts in sessions and for keys that came through a connection alone. */
  readonly isRequired: boolean;
  /** The active connections. */
  readonly connectionIds: readonly string[];
  /** For how many hours after the sign-in a session counts as one of them. */
  readonly sessionHours: number;
  /** Users who are owners now, and may enter with a passkey in place of SSO. */
  readonly exemptOwnerIds: readonly string[];
}

export interface CurrentMembership extends OrgMembership {
  /** The epoch rises whenever the permissions of the members change. */
  readonly authEpoch: number;
  /** True when members without a second factor have no access. */
  readonly secondFactorRequired: boolean;
  /** What the organization says of sign-ins through its SSO connections. */
  readonly sso: SsoRule;
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
