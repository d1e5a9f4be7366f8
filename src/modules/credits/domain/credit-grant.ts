import type { Meter } from '../../metering/meter.js';

/**
 * Credits to grant. Grants with the lowest `priority` are used first, then those that expire first, then the oldest.
 */
export interface CreateGrantInput {
  readonly orgId: string;
  readonly amountNano: bigint;
  readonly priority: number;
  /** The credits never expire when this is null. */
  readonly expiresAt: Date | null;
  /** The meters that the credits can pay for. Null means all of them. */
  readonly appliesTo: readonly Meter[] | null;
  /** Tells people what the credits are for. */
  readonly reason: string;
  /** A key grants once. */
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
