import { epochKeyOf } from '../auth-epochs.js';
import type { OrgMembership, Principal } from '../principal.js';

/** A caller as it was at certain epochs. */
export interface KnownCaller {
  readonly principal: Principal;
  readonly userEpoch: number;
  readonly orgEpochs: ReadonlyMap<string, number>;
  readonly validUntilMs: number;
}

/** Where the epochs stand that a call of this caller for this organization depends on. */
export const stampsOf = ({ principal }: KnownCaller, org: OrgMembership): string[] => [
  epochKeyOf(principal.user.id),
  epochKeyOf(org.id),
];

/** Epochs only rise: a higher one tells of a change. */
export function isStale({ userEpoch, orgEpochs }: KnownCaller, org: OrgMembership, stamps: readonly number[]): boolean {
  const [user = -1, organization = -1] = stamps;
  return user > userEpoch || organization > (orgEpochs.get(org.id) ?? 0);
}
