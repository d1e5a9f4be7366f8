/** What a kind of caller may ask of the API. */
export interface Tier {
  /** As `x-service-tier` names it. */
  readonly name: 'anonymous' | 'free' | 'builder' | 'pro' | 'enterprise';
  /** Null: unlimited. */
  readonly callsPerDay: number | null;
  readonly callsPerSecond: number;
}

/** Calls that may come at once before the rate per second holds. */
export const burstSizeOf = (tier: Tier): number => tier.callsPerSecond * 2;

/** What the headers of an unlimited plan say: the largest integer that every client can read. */
export const UNLIMITED_CALLS = 2_147_483_647;
