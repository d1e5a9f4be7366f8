import type { ReadOnlyCause } from '../persistence/database-rows.js';
import type { DiskBounds } from './disk-bounds.js';

/** See `DatabaseEngine.restrict`. */
type QuotaRestriction = 'none' | 'read_only' | 'reader_only';

/** How often sessions may go on writing far beyond a bound before `owner` cannot connect any more. */
export const MAX_OVERRIDES = 3;

export interface QuotaFacts {
  readonly sizeBytes: bigint;
  readonly quotaBytes: bigint;
  /** What it takes of the disk of its host. */
  readonly diskBytes: bigint;
  /** Its log that is not stored yet. */
  readonly undrainedBytes: bigint;
  readonly bounds: DiskBounds;
  /** False when nothing pays for more storage. */
  readonly isPaid: boolean;
  /** Why it refuses writes until now. */
  readonly because: ReadOnlyCause;
  /** How often sessions were ended that went on writing. */
  readonly overrides: number;
}

export interface QuotaDecision {
  readonly because: ReadOnlyCause;
  readonly restriction: QuotaRestriction;
  /** True when sessions that write are ended. */
  readonly endsWriters: boolean;
  /** True when the server is stopped, because nothing else keeps it from growing. */
  readonly stops: boolean;
  /** What {@link QuotaFacts.overrides} is from now on, unless sessions are ended. */
  readonly overrides: number;
}

/** A bound that a database has reached. */
interface Reached {
  readonly because: ReadOnlyCause;
  /** True when it is so far beyond the bound that it does not obey. */
  readonly isFarBeyond: boolean;
}

/**
 * A database that is full, or that nothing pays for, is read-only unless a transaction says otherwise, so that its
 * owner can delete rows. The same goes for one that takes too much of the disk, or whose log cannot be stored. Beyond
 * 110 % of a bound, sessions that write are ended, and after the third time `owner` cannot connect. A server that grows
 * to 125 % of its disk is stopped. Nothing is ever deleted.
 */
export function decideQuota(facts: QuotaFacts): QuotaDecision {
  const reached = [...sizeReached(facts), ...diskReached(facts), ...logReached(facts)];
  const isFarBeyond = reached.some((each) => each.isFarBeyond);
  const stops = isAbove(facts.diskBytes, facts.bounds.diskBytes, 125n);
  const [because] = [...(facts.isPaid ? [] : ['credits' as const]), ...reached.map((each) => each.because)];
  if (because === undefined || because === null)
    return { because: null, restriction: 'none', endsWriters: false, stops, overrides: 0 };
  const overrides = reached.length === 0 ? 0 : facts.overrides;
  if (overrides >= MAX_OVERRIDES) return { because, restriction: 'reader_only', endsWriters: false, stops, overrides };
  return { because, restriction: 'read_only', endsWriters: isFarBeyond, stops, overrides };
}

function sizeReached({ sizeBytes, quotaBytes }: QuotaFacts): Reached[] {
  return sizeBytes > quotaBytes ? [{ because: 'quota', isFarBeyond: isAbove(sizeBytes, quotaBytes, 110n) }] : [];
}

function diskReached({ diskBytes, bounds }: QuotaFacts): Reached[] {
  const most = bounds.diskBytes;
  return diskBytes > most ? [{ because: 'disk', isFarBeyond: isAbove(diskBytes, most, 110n) }] : [];
}

/** It is writable again once half of the log is stored, so that it does not change its mind with each minute. */
function logReached({ undrainedBytes, bounds, because }: QuotaFacts): Reached[] {
  const most = bounds.undrainedBytes;
  if (undrainedBytes <= (because === 'archive' ? most / 2n : most)) return [];
  return [{ because: 'archive', isFarBeyond: isAbove(undrainedBytes, most, 110n) }];
}

const isAbove = (value: bigint, bound: bigint, percent: bigint): boolean => value * 100n > bound * percent;
