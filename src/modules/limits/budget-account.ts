import type { Tier } from './tier.js';

/** Whose budget a call is taken from: an organization, or the address of somebody without an account. */
export interface BudgetAccount {
  /** `org_…`, or an address. */
  readonly key: string;
  readonly tier: Tier;
  /** Larger circles that share a multiple of the budget: the /48 around an IPv6 network. */
  readonly circles: readonly { readonly key: string; readonly callsPerDay: number }[];
}

/**
 * A caller whose account is known from memory. What is remembered may be stale, which the numbers tell that are read
 * along as its call is counted.
 */
export interface BudgetHolder {
  readonly account: BudgetAccount;
  /** Keys of those numbers in Redis. */
  readonly stamps: readonly string[];
  /** Given the numbers, -1 for one that is not there: whether the caller has changed since it was remembered. */
  isStale(stamps: readonly number[]): boolean;
  /** Looks the caller up again. @throws {DomainError} when it may no longer call. */
  refresh(): Promise<BudgetHolder>;
}

const HOLDER = Symbol('whose budget this request is taken from');
type Carrier = object & { [HOLDER]?: BudgetHolder };

export function attachBudgetHolder(request: object, holder: BudgetHolder): void {
  (request as Carrier)[HOLDER] = holder;
}

/** Undefined for a request that carries no credential, or none that was found good yet. */
export const budgetHolderOf = (request: object): BudgetHolder | undefined => (request as Carrier)[HOLDER];

/** Knows whose budget a request would be taken from that met no guard, because no route took it. */
export abstract class BudgetHolders {
  abstract find(request: object): Promise<BudgetHolder | undefined>;
}
