import type { Tier } from './tier.js';

/** The account that a call is counted against: an organization, or the address of an unauthenticated caller. */
export interface BudgetAccount {
  /** `org_…`, or an address. */
  readonly key: string;
  readonly tier: Tier;
  /** Larger networks that share a multiple of the budget, such as the /48 around an IPv6 network. */
  readonly circles: readonly { readonly key: string; readonly callsPerDay: number }[];
  /** The key of a burst limit of its own, for calls that do not spend the daily budget. */
  readonly burstOnly?: string;
}

/**
 * A caller whose account is cached. The cached entry may be stale; the stamps, which are read in the same round trip as
 * the call is counted, show whether it is.
 */
export interface BudgetHolder {
  readonly account: BudgetAccount;
  /** Redis keys of the stamps. */
  readonly stamps: readonly string[];
  /** True when the caller has changed since it was cached. A stamp of -1 means that its key does not exist. */
  isStale(stamps: readonly number[]): boolean;
  /** Looks the caller up again. @throws {DomainError} when it may no longer call. */
  refresh(): Promise<BudgetHolder>;
}

const HOLDER = Symbol('whose budget this request is taken from');
type Carrier = object & { [HOLDER]?: BudgetHolder };

export function attachBudgetHolder(request: object, holder: BudgetHolder): void {
  (request as Carrier)[HOLDER] = holder;
}

/** Undefined for a request without a credential, or with one that has not been verified. */
export const budgetHolderOf = (request: object): BudgetHolder | undefined => (request as Carrier)[HOLDER];

/** Finds the account of a request that no route matched, so that no guard has seen it. */
export abstract class BudgetHolders {
  abstract find(request: object): Promise<BudgetHolder | undefined>;
}
