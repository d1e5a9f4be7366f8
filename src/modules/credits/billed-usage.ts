/** How an organization's usage of a period was paid for, by the time of use. All amounts are in nano-dollars. */
export interface BilledUsage {
  /** The price of the usage, which is the sum of the other four amounts. */
  readonly costNano: bigint;
  readonly fromCreditsNano: bigint;
  /** The part that an invoice charges. */
  readonly billedNano: bigint;
  /** Usage beyond what was held. The platform bears it. */
  readonly lostNano: bigint;
  /** Usage that was paid for with credits, which were refunded since. */
  readonly refundedNano: bigint;
}
