import fc from 'fast-check';
import { CronExpression, CronExpressionInvalid } from './cron-expression.js';
import { WallClock } from './wall-clock.js';

const times = (text: string, from: string, { zone = 'UTC', count = 3 } = {}): string[] => {
  const expression = CronExpression.parse(text);
  const found: string[] = [];
  for (let after = new Date(from); found.length < count;) {
    after = expression.next(after, WallClock.in(zone)!)!;
    found.push(after.toISOString().slice(0, 16));
  }
  return found;
};

const MINUTE = 60_000;
const iso = (instant: number): string => new Date(instant).toISOString();

describe('a cron expression', () => {
  it.each([
    ['*/5 * * * *', ['2026-01-01T00:05', '2026-01-01T00:10', '2026-01-01T00:15']],
    ['0 9 * * MON-FRI', ['2026-01-01T09:00', '2026-01-02T09:00', '2026-01-05T09:00']],
    ['30 4 1,15 * *', ['2026-01-01T04:30', '2026-01-15T04:30', '2026-02-01T04:30']],
    ['0 0 13 * 5', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']],
    ['0 0 * * 7', ['2026-01-04T00:00', '2026-01-11T00:00', '2026-01-18T00:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
    ['10-30/10 23 31 dec *', ['2026-12-31T23:10', '2026-12-31T23:20', '2026-12-31T23:30']],
  ])('%s', (text, expected) => {
    expect(times(text, '2026-01-01T00:00:00Z')).toEqual(expected);
  });

  it('reaches over a century without a leap day', () => {
    expect(times('0 0 29 2 *', '2096-03-01T00:00:00Z', { count: 1 })).toEqual(['2104-02-29T00:00']);
  });

  it('follows the clock of a time zone when it is set forward and back', () => {
    const zone = 'Europe/Berlin';
    expect(times('30 2 * * *', '2026-03-28T00:00:00Z', { zone })).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(times('30 2 * * *', '2026-10-24T12:00:00Z', { zone })).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
      '2026-10-27T01:30',
    ]);
    expect(times('*/30 * * * *', '2026-10-24T23:59:00Z', { zone, count: 6 })).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ]);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '@daily',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5/2 * * * *',
    '*/0 * * * *',
    '5-1 * * * *',
    '1-2-3 * * * *',
    '1,,2 * * * *',
    '-1 * * * *',
    'H * * * *',
    '0 0 L * *',
    '0 0 * * 1#5',
    '1e1 * * * *',
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
  ])('cannot be %j', (text) => {
    expect(() => CronExpression.parse(text)).toThrow(CronExpressionInvalid);
  });

  it('never accepts a text without a next time, and never takes long', () => {
    const part = fc.oneof(
      fc.constantFrom('*', '*/2', '29', '31', '2', 'feb', 'mon', '1-5', '0', '59', '4,6'),
      fc.stringMatching(/^[\d*/,-]{1,6}$/),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 5, maxLength: 5 }), (parts) => {
        let expression: CronExpression;
        try {
          expression = CronExpression.parse(parts.join(' '));
        } catch (error) {
          expect(error).toBeInstanceOf(CronExpressionInvalid);
          return;
        }
        expect(expression.next(new Date('2026-05-05T05:05:05Z'), WallClock.in('UTC')!)).toBeInstanceOf(Date);
      }),
    );
  });

  it('finds the same times as looking at every minute', () => {
    const number = (min: number, max: number): fc.Arbitrary<string> =>
      fc.oneof(fc.constant('*'), fc.integer({ min, max }).map(String), fc.constantFrom('*/7', '*/20'));
    const zones = fc.constantFrom('UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Pacific/Kiritimati');
    fc.assert(
      fc.property(
        fc.tuple(number(0, 59), number(0, 23), number(1, 28), number(0, 6)),
        fc.integer({ min: 0, max: 500_000 }),
        zones,
        ([minute, hour, day, weekday], minutes, zone) => {
          const after = Date.UTC(2026, 0, 1) + minutes * 60_000 + 17_000;
          const found = CronExpression.parse(`${minute} ${hour} ${day} * ${weekday}`).next(
            new Date(after),
            WallClock.in(zone)!,
          )!;
          const fits = (field: string, value: number, from = 0): boolean =>
            field === '*' ||
            (field.startsWith('*/') ? (value - from) % Number(field.slice(2)) === 0 : value === Number(field));
          const isTime = (instant: number): boolean => {
            const wall = new Date(WallClock.in(zone)!.wallOf(instant));
            const [ofDay, ofWeek] = [fits(day, wall.getUTCDate(), 1), fits(weekday, wall.getUTCDay())];
            const isDay = day.startsWith('*') || weekday.startsWith('*') ? ofDay && ofWeek : ofDay || ofWeek;
            return isDay && fits(minute, wall.getUTCMinutes()) && fits(hour, wall.getUTCHours());
          };
          const limit = after + 4 * 86_400_000;
          let expected = Math.ceil(after / 60_000) * 60_000;
          while (expected < limit && !isTime(expected)) expected += 60_000;
          if (expected < limit) expect(found.getTime()).toBe(expected);
          else expect(found.getTime()).toBeGreaterThanOrEqual(limit);
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Looks at every minute, and reads the clock without any code of ours. */
class EveryMinute {
  private readonly walls = new Map<number, number>();
  private readonly format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    const numeric = 'numeric' as const;
    const date = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric };
    this.format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...date });
  }

  wallOf(instant: number): number {
    let wall = this.walls.get(instant);
    if (wall !== undefined) return wall;
    const parts = Object.fromEntries(
      this.format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    wall = Date.UTC(parts['year']!, parts['month']! - 1, parts['day'], parts['hour'], parts['minute']);
    this.walls.set(instant, wall);
    return wall;
  }

  /** Returns all times from the first instant to the last. */
  times(isTime: (wall: Date) => boolean, namesHours: boolean, [from, to]: readonly [number, number]): number[] {
    const found: number[] = [];
    const seen = new Set<number>();
    const fits = (wall: number): boolean => isTime(new Date(wall));
    for (let at = from - 1_800 * MINUTE; at < to; at += MINUTE) {
      const [last, wall] = [this.wallOf(at - MINUTE), this.wallOf(at)];
      const skipped = Array.from(
        { length: Math.max(0, (wall - last) / MINUTE - 1) },
        (_, i) => last + (i + 1) * MINUTE,
      );
      const runs = namesHours ? (!seen.has(wall) && fits(wall)) || skipped.some(fits) : fits(wall);
      seen.add(wall);
      if (runs && at >= from) found.push(at);
    }
    return found;
  }
}

describe('a clock that is set forward or back', () => {
  /** A day or so before the clock changes. */
  const SHIFTS: readonly (readonly [string, string])[] = [
    ['Australia/Lord_Howe', '2026-04-03T20:00Z'],
    ['Australia/Lord_Howe', '2026-10-02T20:00Z'],
    ['Europe/Dublin', '2026-03-28T03:00Z'],
    ['Europe/Dublin', '2026-10-24T03:00Z'],
    ['Africa/Cairo', '2026-04-23T00:00Z'],
    ['Africa/Cairo', '2026-10-29T00:00Z'],
    ['Pacific/Chatham', '2026-04-04T00:00Z'],
    ['Pacific/Chatham', '2026-09-26T00:00Z'],
    ['Antarctica/Troll', '2026-03-28T03:00Z'],
    ['Antarctica/Troll', '2026-10-24T03:00Z'],
    ['Pacific/Apia', '2011-12-29T08:00Z'],
    ['America/New_York', '2026-03-07T12:00Z'],
    ['America/New_York', '2026-10-31T12:00Z'],
    ['Africa/Casablanca', '2026-02-14T08:00Z'],
    ['America/Havana', '2026-03-07T12:00Z'],
    ['Asia/Beirut', '2026-10-24T08:00Z'],
    ['Asia/Kathmandu', '2026-03-07T12:00Z'],
  ];
  const DAYS = 3;
  const clocks = new Map(SHIFTS.map(([zone]) => [zone, new EveryMinute(zone)]));
  const some = (min: number, max: number, most: number): fc.Arbitrary<number[]> =>
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most });

  it('runs exactly what looking at every minute finds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SHIFTS),
        some(0, 59, 4),
        fc.option(fc.oneof(some(0, 3, 3), some(0, 23, 8)), { nil: undefined }),
        fc.option(some(0, 6, 5), { nil: undefined }),
        ([zone, start], minutes, hours, weekdays) => {
          const text = `${minutes.join(',')} ${hours?.join(',') ?? '*'} * * ${weekdays?.join(',') ?? '*'}`;
          const from = Date.parse(start);
          const isTime = (wall: Date): boolean =>
            minutes.includes(wall.getUTCMinutes()) &&
            (hours?.includes(wall.getUTCHours()) ?? true) &&
            (weekdays?.includes(wall.getUTCDay()) ?? true);
          const to = from + DAYS * 86_400_000;
          const expected = clocks.get(zone)!.times(isTime, hours !== undefined, [from, to]);
          const found: number[] = [];
          const expression = CronExpression.parse(text);
          for (let after = from - 1; ; found.push(after)) {
            after = expression.next(new Date(after), WallClock.in(zone)!)!.getTime();
            if (after >= to) break;
          }
          expect({ zone, text, times: found.map(iso) }).toEqual({ zone, text, times: expected.map(iso) });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('finds the same time from every moment before it', () => {
    const expression = CronExpression.parse('10,45 1,2,3 * * *');
    for (const [zone, start] of SHIFTS) {
      const isTime = (wall: Date): boolean =>
        [10, 45].includes(wall.getUTCMinutes()) && [1, 2, 3].includes(wall.getUTCHours());
      const from = Date.parse(start);
      const expected = clocks.get(zone)!.times(isTime, true, [from, from + (DAYS + 3) * 86_400_000]);
      for (let at = from; at < from + DAYS * 86_400_000; at += 7 * MINUTE)
        expect(expression.next(new Date(at), WallClock.in(zone)!)!.getTime()).toBe(expected.find((time) => time > at));
    }
  });

  it('runs what a whole day was skipped over at its end', () => {
    expect(times('30 9 30 12 *', '2011-12-01T00:00:00Z', { zone: 'Pacific/Apia', count: 2 })).toEqual([
      '2011-12-30T10:00',
      '2012-12-29T19:30',
    ]);
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('can be %s', (zone) => {
    expect(WallClock.in(zone)).toBeDefined();
  });

  it.each(['', 'Mars/Phobos', '+01:00', '../etc', 'x'.repeat(100)])('cannot be %j', (zone) => {
    expect(WallClock.in(zone)).toBeUndefined();
  });
});
