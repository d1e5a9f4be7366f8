import type { WalRange } from './wal-segments.js';

/** A stored copy of the files of a cluster. It needs the log from `startSegment` to `stopSegment` to be consistent. */
export interface Base {
  readonly id: string;
  readonly timeline: number;
  readonly startSegment: number;
  readonly stopSegment: number;
  /** The earliest moment that it can be restored to. */
  readonly finishedAt: Date;
}

/** What a cluster has in storage. */
export interface Stored<OneBase extends Base = Base, OneRange extends WalRange = WalRange> {
  readonly bases: readonly OneBase[];
  readonly ranges: readonly OneRange[];
  /** Everything that was committed before this moment is in the ranges; null when nothing was stored yet. */
  readonly completeUntil: Date | null;
}

export interface Window {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** What a restore to a moment reads: a base, and the ranges after it in their order. */
export interface Plan<OneBase extends Base, OneRange extends WalRange> {
  readonly base: OneBase;
  readonly ranges: readonly OneRange[];
}

/** The moments that a cluster can be restored to: from its first usable base on, without a gap. */
export function windowOf({ bases, ranges, completeUntil }: Stored): Window {
  const usable = bases.filter((base) => reaches(base, ranges)).map(({ finishedAt }) => finishedAt.getTime());
  if (usable.length === 0 || completeUntil === null) return { from: null, until: null };
  const from = new Date(Math.min(...usable));
  return from > completeUntil ? { from: null, until: null } : { from, until: completeUntil };
}

/** Chooses the latest base before the moment, because it has the least log after it. */
export function planFor<OneBase extends Base, OneRange extends WalRange>(
  { bases, ranges, completeUntil }: Stored<OneBase, OneRange>,
  at: Date,
): Plan<OneBase, OneRange> | undefined {
  if (completeUntil === null || at > completeUntil) return undefined;
  const base = bases
    .filter((each) => each.finishedAt <= at && reaches(each, ranges))
    .reduce<OneBase | undefined>((best, each) => (best && best.finishedAt >= each.finishedAt ? best : each), undefined);
  return base && { base, ranges: following(base, ranges) };
}

/** True when the log from the start of the base on has no gap, neither before its end nor after it. */
function reaches(base: Base, ranges: readonly WalRange[]): boolean {
  const needed = following(base, ranges);
  let next = base.startSegment;
  for (const { first, last } of needed) {
    if (first > next) return false;
    next = Math.max(next, last + 1);
  }
  return next > base.stopSegment;
}

function following<OneRange extends WalRange>(base: Base, ranges: readonly OneRange[]): OneRange[] {
  return ranges
    .filter(({ timeline, last }) => timeline === base.timeline && last >= base.startSegment)
    .sort((one, other) => one.first - other.first);
}
