/** A month of UTC. */
export interface CalendarMonth {
  readonly start: Date;
  /** The first moment of the next one. */
  readonly end: Date;
  /** A part of names of tables, such as `2026_11`. */
  readonly suffix: string;
}

/** Returns the month of a time, or one that is so many months later; earlier for a negative number. */
export function monthFrom(at: Date, later = 0): CalendarMonth {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + later];
  const start = new Date(Date.UTC(year, month, 1));
  return {
    start,
    end: new Date(Date.UTC(year, month + 1, 1)),
    suffix: start.toISOString().slice(0, 7).replace('-', '_'),
  };
}
