import type { Base } from './restore-window.js';
import type { WalRange } from './wal-segments.js';

const DAY_MS = 86_400_000;
const SPARE_COPIES = 4;
const SPARE_BYTES = 10_000_000_000;

interface SizedBase extends Base {
  readonly partBytes: readonly number[];
}

interface SizedRange extends WalRange {
  readonly bytes: number;
}

interface StoredBackups<OneBase, OneRange> {
  readonly bases: readonly OneBase[];
  readonly ranges: readonly OneRange[];
}

interface Retention {
  readonly restoreDays: number;
  readonly mostBytes: number;
  readonly now: Date;
}

/**
 * Returns what no restore within the window needs: bases before the last one that lies before the window, and the log
 * before the oldest base that stays. Where a tenant rewrites its data so often that all of it is too much, the window
 * becomes shorter: the oldest bases go first. The last base always stays.
 */
export function expired<OneBase extends SizedBase, OneRange extends SizedRange>(
  { bases, ranges }: StoredBackups<OneBase, OneRange>,
  { restoreDays, mostBytes, now }: Retention,
): { bases: OneBase[]; ranges: OneRange[] } {
  const begin = now.getTime() - restoreDays * DAY_MS;
  const sorted = [...bases].sort((one, other) => one.finishedAt.getTime() - other.finishedAt.getTime());
  const lastBefore = sorted.findLastIndex(({ finishedAt }) => finishedAt.getTime() <= begin);
  for (let count = Math.max(0, lastBefore); ; count++) {
    const kept = sorted.slice(count);
    const gone = kept.length === 0 ? [] : ranges.filter((range) => isBefore(range, kept));
    const left = { bases: kept, ranges: ranges.filter((range) => !gone.includes(range)) };
    if (kept.length <= 1 || bytesOf(left) <= mostBytes) return { bases: sorted.slice(0, count), ranges: gone };
  }
}

export const bytesOf = ({ bases, ranges }: StoredBackups<SizedBase, SizedRange>): number =>
  sum(bases.flatMap(({ partBytes }) => partBytes)) + sum(ranges.map(({ bytes }) => bytes));

/** The log after the last base. Only a new base lets it be deleted. */
export function bytesSinceLastBase({ bases, ranges }: StoredBackups<SizedBase, SizedRange>): number {
  const last = [...bases].sort((one, other) => other.finishedAt.getTime() - one.finishedAt.getTime()).slice(0, 1);
  return last.length === 0 ? 0 : bytesOf({ bases: [], ranges: ranges.filter((range) => !isBefore(range, last)) });
}

/** What may be stored for a database: a copy for each day of its window and a few more, each as large as its quota. */
export const mostStoredBytes = (quotaBytes: number, restoreDays: number): number =>
  (restoreDays + SPARE_COPIES) * quotaBytes + SPARE_BYTES;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const isBefore = ({ timeline, last }: WalRange, kept: readonly Base[]): boolean =>
  kept.every((base) => base.timeline > timeline || (base.timeline === timeline && base.startSegment > last));

/** A base is due a day after the last one, if anything was logged since, and at once for a database without any. */
export function baseIsDue(
  { lastBaseAt, loggedAt }: { readonly lastBaseAt: Date | null; readonly loggedAt: Date | null },
  now: Date,
): boolean {
  if (lastBaseAt === null) return true;
  return now.getTime() - lastBaseAt.getTime() >= DAY_MS && loggedAt !== null && loggedAt > lastBaseAt;
}
