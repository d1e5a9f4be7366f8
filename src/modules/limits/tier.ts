/** What a kind of caller may ask of the API. */
export interface Tier {
  /** As `x-service-tier` names it. */
  readonly name: 'anonymous';
  readonly callsPerDay: number;
  readonly callsPerSecond: number;
}

/** Calls that may come at once before the rate per second holds. */
export const burstSizeOf = (tier: Tier): number => tier.callsPerSecond * 2;
