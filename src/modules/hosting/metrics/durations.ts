/** Upper bounds of the buckets in milliseconds. One more bucket has the rest. The table has a column for each. */
const BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

export const DURATION_BUCKETS = BOUNDS_MS.length + 1;

export function bucketOf(durationMs: number): number {
  let place = 0;
  while (place < BOUNDS_MS.length && durationMs > BOUNDS_MS[place]!) place++;
  return place;
}

/**
 * Estimates a quantile in milliseconds by assuming that the durations in a bucket are spread evenly; null without any.
 * Durations above the last bound count as that bound.
 */
export function quantileMs(counts: readonly number[], quantile: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = quantile * total;
  let below = 0;
  for (const [place, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const from = BOUNDS_MS[place - 1] ?? 0;
      const to = BOUNDS_MS[place] ?? from;
      return Math.round((from + (to - from) * ((wanted - below) / count)) * 100) / 100;
    }
    below += count;
  }
  return BOUNDS_MS.at(-1)!;
}
