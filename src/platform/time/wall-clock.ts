const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
/** No clock differs from UTC by more. */
const MAX_OFFSET_MS = 15 * 3_600_000;
const MAX_REMEMBERED = 500;
const MAX_CLOCKS = 200;

const clocks = new Map<string, WallClock>();

/**
 * The clock on the wall in a time zone. Times on the wall are numbers as well: the milliseconds that UTC would have if
 * its clocks showed the same.
 */
export class WallClock {
  /** Offsets change only at quarters of an hour of UTC. */
  private readonly offsets = new Map<number, number>();

  private constructor(private readonly format: Intl.DateTimeFormat) {}

  /** Returns undefined for a name that is not a time zone of IANA. */
  static in(timeZone: string): WallClock | undefined {
    let clock = clocks.get(timeZone);
    if (clock !== undefined) return clock;
    if (!/^[A-Za-z][\w+/-]{0,63}$/.test(timeZone)) return undefined;
    try {
      clock = new WallClock(
        new Intl.DateTimeFormat('en-US', {
          timeZone,
          hourCycle: 'h23',
          year: 'numeric',
          month: 'numeric',
          day: 'numeric',
          hour: 'numeric',
          minute: 'numeric',
          second: 'numeric',
        }),
      );
    } catch {
      return undefined;
    }
    if (clocks.size === MAX_CLOCKS) clocks.clear();
    clocks.set(timeZone, clock);
    return clock;
  }

  wallOf(instant: number): number {
    return instant + this.offsetAt(instant);
  }

  /** Returns the offset if it is the same from a day before until this long after, else undefined. */
  steadyOffsetAround(instant: number, afterMs: number): number | undefined {
    const before = this.offsetAt(instant - DAY_MS);
    return before === this.offsetAt(instant) && before === this.offsetAt(instant + afterMs) ? before : undefined;
  }

  /**
   * Returns the instants at which the wall shows this time, in order: one, two when the clock was set back, and none
   * when it was set forward past it.
   */
  instantsOf(wall: number): number[] {
    const offsets = [this.offsetAt(wall - MAX_OFFSET_MS), this.offsetAt(wall + MAX_OFFSET_MS)];
    const shown = offsets.map((offset) => wall - offset).filter((instant) => this.wallOf(instant) === wall);
    return [...new Set(shown)].sort((one, other) => one - other);
  }

  /** Returns the first moment after the gap in which this time on the wall lies. */
  endOfGapAt(wall: number): number {
    let before = Math.floor((wall - MAX_OFFSET_MS) / QUARTER_MS);
    let after = Math.ceil((wall + MAX_OFFSET_MS) / QUARTER_MS);
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.wallOf(middle * QUARTER_MS) > wall) after = middle;
      else before = middle;
    }
    return after * QUARTER_MS;
  }

  private offsetAt(instant: number): number {
    const quarter = Math.floor(instant / QUARTER_MS);
    const known = this.offsets.get(quarter);
    if (known !== undefined) return known;
    const at = quarter * QUARTER_MS;
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.format.formatToParts(at)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - at;
    if (this.offsets.size === MAX_REMEMBERED) this.offsets.clear();
    this.offsets.set(quarter, offset);
    return offset;
  }
}
