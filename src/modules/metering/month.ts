const HOUR_MS = 3_600_000;

/** A calendar month in UTC, which is the billing period. */
export interface Month {
  /** Its first moment. */
  readonly start: Date;
  /** The first moment of the next one. */
  readonly end: Date;
  /** The name that the database uses, such as `2026-11-01`. */
  readonly name: string;
  readonly hours: number;
}

/** Caches the last month: every event needs it, and it changes once a month. */
let last: Month | undefined;

export function monthOf(at: Date): Month {
  if (last === undefined || at < last.start || at >= last.end) last = newMonthOf(at);
  return last;
}

function newMonthOf(at: Date): Month {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const [start, end] = [new Date(Date.UTC(year, month, 1)), new Date(Date.UTC(year, month + 1, 1))];
  return { start, end, name: start.toISOString().slice(0, 10), hours: (end.getTime() - start.getTime()) / HOUR_MS };
}
