import fc from 'fast-check';
import { bucketOf, DURATION_BUCKETS, quantileMs } from './durations.js';

const countsOf = (durations: readonly number[]): number[] => {
  const counts = new Array<number>(DURATION_BUCKETS).fill(0);
  for (const duration of durations) counts[bucketOf(duration)]!++;
  return counts;
};

describe('the quantile of durations', () => {
  it('is null without requests, and interpolated within a bucket', () => {
    expect(quantileMs(countsOf([]), 0.5)).toBeNull();
    expect(quantileMs(countsOf([15, 15, 15, 15]), 0.5)).toBe(15);
    expect(quantileMs(countsOf([...Array<number>(95).fill(3), ...Array<number>(5).fill(800)]), 0.95)).toBe(5);
    expect(quantileMs(countsOf([99_999]), 0.95)).toBe(60_000);
  });

  it('lies in the bucket of the exact quantile', () => {
    const duration = fc.double({ min: 0, max: 60_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(duration, { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.95),
        (durations, quantile) => {
          const sorted = [...durations].sort((one, other) => one - other);
          const exact = sorted[Math.ceil(quantile * sorted.length - 1e-9) - 1]!;
          const estimate = quantileMs(countsOf(durations), quantile)!;
          // An estimate is rounded to a hundredth, and may then be at the bound of its bucket.
          expect([bucketOf(exact) - 1, bucketOf(exact)]).toContain(bucketOf(estimate));
        },
      ),
    );
  });
});
