import fc from 'fast-check';
import { baseIsDue, bytesOf, bytesSinceLastBase, expired } from './retention.js';
import { type Base, planFor, windowOf } from './restore-window.js';
import { segmentsIn, type WalRange } from './wal-segments.js';

const HOUR_MS = 3_600_000;
const at = (hour: number): Date => new Date(hour * HOUR_MS);
const base = (hour: number, startSegment: number, stopSegment = startSegment): Base & { partBytes: number[] } => ({
  id: `dbk_${hour}`,
  timeline: 1,
  startSegment,
  stopSegment,
  finishedAt: at(hour),
  partBytes: [60, 40],
});
const range = (first: number, last: number, timeline = 1): WalRange & { bytes: number } => ({
  timeline,
  first,
  last,
  bytes: 10,
});

describe('windowOf', () => {
  it('begins with the first base, and ends with the log', () => {
    const stored = { bases: [base(2, 5), base(1, 3)], ranges: [range(1, 4), range(5, 9)], completeUntil: at(6) };
    expect(windowOf(stored)).toEqual({ from: at(1), until: at(6) });
  });

  it('leaves out bases before a gap of the log', () => {
    const stored = { bases: [base(1, 3), base(2, 6)], ranges: [range(1, 4), range(6, 9)], completeUntil: at(6) };
    expect(windowOf(stored)).toEqual({ from: at(2), until: at(6) });
  });

  it('is empty without a base, without the log of its end, and without any log', () => {
    const nothing = { from: null, until: null };
    expect(windowOf({ bases: [], ranges: [range(1, 4)], completeUntil: at(6) })).toEqual(nothing);
    expect(windowOf({ bases: [base(1, 3, 5)], ranges: [range(1, 4)], completeUntil: at(6) })).toEqual(nothing);
    expect(windowOf({ bases: [base(1, 3)], ranges: [], completeUntil: null })).toEqual(nothing);
  });
});

describe('planFor', () => {
  const stored = {
    bases: [base(1, 3), base(5, 8)],
    ranges: [range(1, 4), range(5, 7), range(8, 12), range(1, 20, 2)],
    completeUntil: at(9),
  };

  it('reads the latest base before the moment, and the log of its timeline from there on', () => {
    expect(planFor(stored, at(7))).toEqual({ base: stored.bases[1], ranges: [range(8, 12)] });
    expect(planFor(stored, at(4))).toEqual({
      base: stored.bases[0],
      ranges: [range(1, 4), range(5, 7), range(8, 12)],
    });
  });

  it('refuses moments before the first base and after the log', () => {
    expect(planFor(stored, at(0.5))).toBeUndefined();
    expect(planFor(stored, at(9.5))).toBeUndefined();
  });
});

describe('expired', () => {
  it('never takes what a moment in the window needs', () => {
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(hours, fc.integer({ min: 1, max: 7 }), fc.nat(400), (hourly, restoreDays, back) => {
        const sorted = [...hourly].sort((one, other) => one - other);
        const bases = sorted.map((hour) => base(hour, hour, hour + 1));
        const ranges = Array.from({ length: 102 }, (_, index) => range(index * 4, index * 4 + 3));
        const now = at(401);
        const moment = new Date(now.getTime() - Math.min(back, restoreDays * 24) * HOUR_MS);
        const before = planFor({ bases, ranges, completeUntil: now }, moment);
        const gone = expired({ bases, ranges }, { restoreDays, mostBytes: Number.MAX_SAFE_INTEGER, now });
        const left = {
          bases: bases.filter((each) => !gone.bases.includes(each)),
          ranges: ranges.filter((each) => !gone.ranges.includes(each)),
          completeUntil: now,
        };
        expect(planFor(left, moment)?.base).toEqual(before?.base);
        expect(left.bases.length).toBeGreaterThan(0);
        const needed = left.bases[0]!.startSegment;
        expect(left.ranges.flatMap(segmentsIn).every(({ number }) => number >= needed - 4)).toBe(true);
      }),
    );
  });
});

describe('expired, where all of it is too much', () => {
  const bases = [base(1, 10), base(2, 20), base(3, 30)];
  const ranges = Array.from({ length: 40 }, (_, index) => range(index, index));
  const left = (mostBytes: number) => {
    const gone = expired({ bases, ranges }, { restoreDays: 7, mostBytes, now: at(4) });
    return {
      bases: bases.filter((each) => !gone.bases.includes(each)),
      ranges: ranges.filter((each) => !gone.ranges.includes(each)),
    };
  };

  it('takes the oldest bases with their log until the rest is within the bound', () => {
    expect(bytesOf({ bases, ranges })).toBe(700);
    expect(left(600)).toEqual({ bases, ranges: ranges.slice(10) });
    expect(left(599)).toEqual({ bases: bases.slice(1), ranges: ranges.slice(20) });
    expect(left(399)).toEqual({ bases: bases.slice(2), ranges: ranges.slice(30) });
  });

  it('keeps the last base and all of the log after it, whatever they take, and says how much that is', () => {
    const kept = left(0);
    expect(kept).toEqual({ bases: bases.slice(2), ranges: ranges.slice(30) });
    expect(bytesSinceLastBase(kept)).toBe(100);
    expect(bytesSinceLastBase({ bases: [], ranges })).toBe(0);
  });
});

describe('baseIsDue', () => {
  it('asks for the first base at once, and for later ones a day after the last, if anything was logged since', () => {
    expect(baseIsDue({ lastBaseAt: null, loggedAt: null }, at(0))).toBe(true);
    expect(baseIsDue({ lastBaseAt: at(0), loggedAt: at(1) }, at(23))).toBe(false);
    expect(baseIsDue({ lastBaseAt: at(2), loggedAt: at(1) }, at(40))).toBe(false);
    expect(baseIsDue({ lastBaseAt: at(0), loggedAt: at(1) }, at(24))).toBe(true);
  });
});
