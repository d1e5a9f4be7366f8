/** How an organization's usage of a period was paid, by the time at which it was used. All in nano-dollars. */
export interface BilledUsage {
  /** Its price: the sum of the other four. */
  readonly costNano: bigint;
  readonly fromCreditsNano: bigint;
  /** To be paid by invoice. */
  readonly billedNano: bigint;
  /** More was used than had been held: nobody pays. */
  readonly lostNano: bigint;
  /** Paid with credits that were given back since. */
  readonly refundedNano: bigint;
}
