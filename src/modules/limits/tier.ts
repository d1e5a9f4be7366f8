/** The API limits of a kind of caller. */
export interface Tier {
  /** The value of the header `x-service-tier`. */
  readonly name: 'anonymous' | 'free' | 'builder' | 'pro' | 'enterprise';
  /** Null means unlimited. */
  readonly callsPerDay: number | null;
  readonly callsPerSecond: number;
}

/** The number of calls that may arrive at once before the rate per second applies. */
export const burstSizeOf = (tier: Tier): number => tier.callsPerSecond * 2;

/** The limit in the headers of an unlimited plan: the largest integer that every client can parse. */
export const UNLIMITED_CALLS = 2_147_483_647;
