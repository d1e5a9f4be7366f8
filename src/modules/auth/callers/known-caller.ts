import { epochKeyOf } from '../auth-epochs.js';
import type { OrgMembership, Principal } from '../principal.js';

/** A caller with the epochs at which it was looked up. */
export interface KnownCaller {
  readonly principal: Principal;
  readonly userEpoch: number;
  readonly orgEpochs: ReadonlyMap<string, number>;
  readonly validUntilMs: number;
}

/** Returns the Redis keys of the epochs that a call of this caller for this organization depends on. */
export const stampsOf = ({ principal }: KnownCaller, org: OrgMembership): string[] => [
  epochKeyOf(principal.user.id),
  epochKeyOf(org.id),
];

/** True when an epoch is higher than the one that the caller was looked up at. Epochs only rise. */
export function isStale({ userEpoch, orgEpochs }: KnownCaller, org: OrgMembership, stamps: readonly number[]): boolean {
  const [user = -1, organization = -1] = stamps;
  return user > userEpoch || organization > (orgEpochs.get(org.id) ?? 0);
}
