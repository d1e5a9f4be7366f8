const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits between attempts. Together they are a little less than a day. */
const WAITS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** Returns when to try again after this many attempts, or undefined after the last one. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined ? undefined : new Date(now.getTime() + waitMs);
}
