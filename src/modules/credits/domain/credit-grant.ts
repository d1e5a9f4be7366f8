import type { Meter } from '../../metering/meter.js';

/**
 * Credits to be given. Those with the lowest `priority` are used first, then those that expire first, then the oldest.
 */
export interface CreateGrantInput {
  readonly orgId: string;
  readonly amountNano: bigint;
  readonly priority: number;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** What they can pay for; null: everything. */
  readonly appliesTo: readonly Meter[] | null;
  /** For people: what they are for. */
  readonly reason: string;
  /** The same key gives them once. */
  readonly key: string;
}

export interface CreditGrant {
  readonly id: string;
  readonly amountNano: bigint;
  readonly remainingNano: bigint;
  readonly priority: number;
  readonly expiresAt: Date | null;
  readonly appliesTo: readonly Meter[] | null;
}
