import type { WallClock } from './wall-clock.js';

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
];
const MAX_LENGTH = 200;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A 29 February can be eight years away, because 2100 is no leap year. */
const MAX_DAYS = 3_000;
/** No clock is set back by more than this. Samoa skipped a whole day, but that was forward. */
const LARGEST_SHIFT_MS = 3 * 3_600_000;

/** The text is not a cron expression, or no time fits it. */
export class CronExpressionInvalid extends Error {
  override readonly name = 'CronExpressionInvalid';
}

/**
 * A cron expression of five fields: minute, hour, day of month, month and day of week, with `*`, lists, ranges, steps
 * and names. When both days are restricted, one of them has to fit, as in Vixie cron. Tenants write expressions, so the
 * cost of each is bounded: days are counted through with arithmetic, at most eight years of them.
 */
export class CronExpression {
  private readonly minutes: readonly number[];
  private readonly hours: readonly number[];
  private readonly days: ReadonlySet<number>;
  private readonly months: ReadonlySet<number>;
  private readonly weekdays: ReadonlySet<number>;
  private readonly isAnyDay: boolean;
  private readonly isAnyWeekday: boolean;
  private readonly namesHours: boolean;

  private constructor(text: string, parts: readonly string[]) {
    const [minutes, hours, days, months, weekdays] = FIELDS.map((field, index) => valuesOf(parts[index]!, field)) as [
      number[],
      number[],
      number[],
      number[],
      number[],
    ];
    this.minutes = minutes;
    this.hours = hours;
    this.days = new Set(days);
    this.months = new Set(months);
    this.weekdays = new Set(weekdays.map((day) => day % 7));
    this.isAnyDay = parts[2]!.startsWith('*');
    this.isAnyWeekday = parts[4]!.startsWith('*');
    this.namesHours = hours.length < 24;
    // Four years from a leap year have every date, and every weekday of nearly all of them.
    if (this.nextWall(Date.UTC(2024, 0, 1)) === undefined)
      throw new CronExpressionInvalid(`no date fits ${JSON.stringify(text)}`);
  }

  /** @throws {CronExpressionInvalid} with a reason that follows the name of a field: "has six fields, …". */
  static parse(text: string): CronExpression {
    if (text.length > MAX_LENGTH) throw new CronExpressionInvalid(`can have at most ${MAX_LENGTH} characters`);
    const parts = text.trim().toLowerCase().split(/\s+/);
    if (parts.length !== FIELDS.length)
      throw new CronExpressionInvalid(
        'must have five fields: minute, hour, day of month, month and day of week, such as "0 5 * * *"',
      );
    return new CronExpression(text, parts);
  }

  /**
   * Returns the first time after this one, in the time zone. When the expression names hours, a time that the clock
   * skips runs at the first moment after the gap, and a time that it shows twice runs once. Otherwise the expression
   * means a rhythm, which neither makes up for what is skipped nor pauses while an hour is repeated.
   */
  next(after: Date, clock: WallClock): Date | undefined {
    const afterMs = after.getTime();
    const steady = clock.steadyOffsetAround(afterMs, DAY_MS);
    const wall = this.nextWall(afterMs + (steady ?? 0) + 1);
    if (wall === undefined) return undefined;
    if (steady !== undefined && wall - steady <= afterMs + DAY_MS) return new Date(wall - steady);
    return this.nextAroundShift(afterMs, clock);
  }

  /** Near a shift, later walls can be earlier instants, so all within its reach are compared. */
  private nextAroundShift(afterMs: number, clock: WallClock): Date | undefined {
    let best: number | undefined;
    let last = Infinity;
    for (
      let wall = this.nextWall(clock.wallOf(afterMs) - LARGEST_SHIFT_MS);
      wall !== undefined && wall <= last;
      wall = this.nextWall(wall + 1)
    ) {
      for (const instant of this.instantsOf(wall, clock))
        if (instant > afterMs && (best === undefined || instant < best)) best = instant;
      if (best !== undefined && last === Infinity) last = wall + LARGEST_SHIFT_MS;
    }
    return best === undefined ? undefined : new Date(best);
  }

  /** Returns the instants at which the expression runs for a time on the wall. */
  private instantsOf(wall: number, clock: WallClock): readonly number[] {
    const shown = clock.instantsOf(wall);
    if (!this.namesHours) return shown;
    return shown.length > 0 ? shown.slice(0, 1) : [clock.endOfGapAt(wall)];
  }

  /** Returns the first time on the wall that fits and is not before this one. Times on the wall are written as UTC. */
  private nextWall(from: number): number | undefined {
    const start = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
    let day = Math.floor(start / DAY_MS) * DAY_MS;
    for (let count = 0; count < MAX_DAYS; count++, day += DAY_MS) {
      if (!this.includesDay(new Date(day))) continue;
      const time = this.timeOfDay(Math.max(0, (start - day) / MINUTE_MS));
      if (time !== undefined) return day + time * MINUTE_MS;
    }
    return undefined;
  }

  private includesDay(date: Date): boolean {
    if (!this.months.has(date.getUTCMonth() + 1)) return false;
    const fitsDay = this.days.has(date.getUTCDate());
    const fitsWeekday = this.weekdays.has(date.getUTCDay());
    return this.isAnyDay || this.isAnyWeekday ? fitsDay && fitsWeekday : fitsDay || fitsWeekday;
  }

  private timeOfDay(fromMinute: number): number | undefined {
    for (const hour of this.hours) {
      if (hour * 60 + 59 < fromMinute) continue;
      const minute = this.minutes.find((each) => hour * 60 + each >= fromMinute);
      if (minute !== undefined) return hour * 60 + minute;
    }
    return undefined;
  }
}

/** Returns the values of a field in ascending order. */
function valuesOf(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    const every = step === undefined ? 1 : Number(step);
    const [first, last] = rangeOf(range, field);
    if (every < 1 || (step !== undefined && range !== '*' && !range.includes('-')) || first > last)
      throw new CronExpressionInvalid(`has an invalid ${field.name}: ${JSON.stringify(part)}`);
    for (let value = first; value <= last; value += every) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

function rangeOf(text: string, field: Field): readonly [number, number] {
  if (text === '*') return [field.min, field.max];
  const [first, last = first, ...rest] = text.split('-').map((value) => numberOf(value, field));
  if (first === undefined || last === undefined || rest.length > 0)
    throw new CronExpressionInvalid(`has an invalid ${field.name}: ${JSON.stringify(text)}`);
  return [first, last];
}

function numberOf(text: string, { name, min, max, names }: Field): number {
  const named = names?.indexOf(text) ?? -1;
  const value = named >= 0 ? named + min : /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new CronExpressionInvalid(`has an invalid ${name}: ${JSON.stringify(text)}, which must be ${min} to ${max}`);
}
