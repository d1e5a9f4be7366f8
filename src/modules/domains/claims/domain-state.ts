/**
 * `pending` was not proved. `verified` was proved, but its records do not lead here yet. `active` is served.
 * `misconfigured` failed several checks, and is served until the grace period ends.
 */
export const DOMAIN_STATES = ['pending', 'verified', 'active', 'misconfigured'] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

/** Why a check did not succeed. */
export const CHECK_PROBLEMS = [
  'challenge_missing',
  'records_missing',
  'records_elsewhere',
  'resolver_unavailable',
  'held_by_another',
  'taken_over',
  'wildcards_not_in_plan',
] as const;
export type CheckProblem = (typeof CHECK_PROBLEMS)[number];

/** Where the records of a name lead. */
export type Routing = 'here' | 'elsewhere' | 'missing' | 'unknown';
export const ROUTED_HERE: Routing = 'here';

/** The records that a check found, in part where there are many or long ones. */
export interface SeenRecords {
  readonly txt: readonly string[];
  readonly cname: readonly string[];
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
  readonly isProved: boolean;
  readonly routing: Routing;
}

/** The result of a check. */
export interface Observation {
  /** True when the name servers could not be asked, so that nothing is known. */
  readonly isUnknown: boolean;
  readonly isProved: boolean;
  readonly routing: Routing;
  readonly problem: CheckProblem | null;
  readonly seen: SeenRecords;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a domain that fails its checks keeps being served, from its first failed check. */
export const GRACE_MS = 3 * DAY_MS;

export const isOver = (failingSince: Date, at: Date): boolean => at.getTime() - failingSince.getTime() >= GRACE_MS;

/**
 * Returns the time until the next check, or null when the domain is only checked on request. A domain that works is
 * checked daily; one that waits for its records often at first, because its owner waits as well, and no more after two
 * weeks.
 */
export function timeToNextCheckMs(
  state: DomainState,
  { ageMs, isFine }: { readonly ageMs: number; readonly isFine: boolean },
): number | null {
  if (isFine && state === 'active') return DAY_MS;
  if (state === 'active' || state === 'misconfigured') return HOUR_MS;
  if (ageMs < HOUR_MS) return 5 * MINUTE_MS;
  if (ageMs < DAY_MS) return HOUR_MS;
  return state === 'verified' || ageMs < 14 * DAY_MS ? DAY_MS : null;
}
