import fc from 'fast-check';
import { type CatchUp, type DueTimes, dueTimesOf, MAX_CAUGHT_UP } from './due-times.js';
import { jitterMs } from './jitter.js';
import { Timing, type TimingFields } from './timing.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-28T00:00:00Z');
const at = (ms: number): Date => new Date(START + ms);
const NONE: TimingFields = { cron: null, everySeconds: null, at: null, timeZone: 'UTC' };
const everyMinute = Timing.of({ ...NONE, everySeconds: 60 }, at(0));

interface Options {
  readonly catchUp?: CatchUp;
  readonly catchUpSeconds?: number;
  readonly jitterSeconds?: number;
  readonly timing?: Timing;
}

function due(nextAt: Date, now: Date, options: Options = {}): DueTimes {
  const { catchUp = 'latest', catchUpSeconds = 3_600, jitterSeconds = 0, timing = everyMinute } = options;
  return dueTimesOf({ id: 'sch_1', timing, nextAt, thenAt: null, catchUp, catchUpSeconds, jitterSeconds }, now);
}

describe('the times that are due', () => {
  it('computes nothing when one is due and the next is known', () => {
    const next = jest.fn();
    const timing = { next } as unknown as Timing;
    const input = { id: 'sch_1', timing, nextAt: at(MINUTE), thenAt: at(2 * MINUTE), catchUp: 'latest' as const };
    const found = dueTimesOf({ ...input, catchUpSeconds: 60, jitterSeconds: 0 }, at(MINUTE + 500));
    expect(found).toEqual({ firing: [at(MINUTE)], skipped: [], missed: [], nextAt: at(2 * MINUTE), thenAt: null });
    expect(next).not.toHaveBeenCalled();
  });

  it('makes up for the latest time of an outage, or for all of them', () => {
    const now = at(5 * MINUTE + 1);
    const all = [1, 2, 3, 4, 5].map((minute) => at(minute * MINUTE));
    expect(due(at(MINUTE), now)).toMatchObject({ firing: [all[4]], skipped: all.slice(0, 4), missed: [] });
    expect(due(at(MINUTE), now, { catchUp: 'all' })).toMatchObject({ firing: all, skipped: [], missed: [] });
  });

  it('misses what is older than the window, and counts through at most a hundred such times', () => {
    const found = due(at(MINUTE), at(30 * 24 * HOUR), { catchUp: 'all', catchUpSeconds: 600 });
    expect(found.missed).toHaveLength(MAX_CAUGHT_UP);
    expect(found.missed[0]).toEqual(at(MINUTE));
    expect(found.firing).toHaveLength(11);
    expect(found.nextAt).toEqual(at(30 * 24 * HOUR + MINUTE));
  });

  it('starts at most a hundred runs at once', () => {
    const found = due(at(MINUTE), at(10 * HOUR), { catchUp: 'all', catchUpSeconds: 86_400 });
    expect(found.firing).toHaveLength(MAX_CAUGHT_UP);
    expect(found.firing.at(-1)).toEqual(at(10 * HOUR));
    expect(found.missed).toHaveLength(MAX_CAUGHT_UP);
  });

  it('has nothing due when the clock was set back, and loses no time', () => {
    expect(due(at(MINUTE), at(-HOUR))).toEqual({
      firing: [],
      skipped: [],
      missed: [],
      nextAt: at(MINUTE),
      thenAt: null,
    });
  });

  it('ends after the only time', () => {
    const timing = Timing.of({ ...NONE, at: at(MINUTE) }, at(0));
    expect(due(at(MINUTE), at(MINUTE), { timing })).toMatchObject({ firing: [at(MINUTE)], nextAt: null });
  });

  it('deals with each time exactly once, however the clock jumps', () => {
    const timings = fc.constantFrom(
      Timing.of({ ...NONE, everySeconds: 900 }, at(0)),
      Timing.of({ ...NONE, cron: '*/20 * * * *', timeZone: 'Australia/Lord_Howe' }, at(0)),
      Timing.of({ ...NONE, cron: '5,35 1-3 * * *', timeZone: 'Europe/Berlin' }, at(0)),
    );
    const jumps = fc.array(fc.integer({ min: -2 * HOUR, max: 3 * HOUR }), { minLength: 1, maxLength: 25 });
    const options = fc.record({
      catchUp: fc.constantFrom<CatchUp>('latest', 'all'),
      catchUpSeconds: fc.constantFrom(60, 3_600, 86_400),
      jitterSeconds: fc.constantFrom(0, 300, 800),
    });
    fc.assert(
      fc.property(timings, jumps, options, (timing, steps, given) => {
        const seen: Date[] = [];
        let [nextAt, now] = [timing.next(at(0))!, START];
        for (const step of steps) {
          now += step;
          const found = due(nextAt, new Date(now), { ...given, timing });
          const times = [...found.firing, ...found.skipped, ...found.missed];
          for (const time of found.firing) {
            const lateMs = now - time.getTime() - jitterMs('sch_1', time, given.jitterSeconds);
            expect(lateMs).toBeGreaterThanOrEqual(0);
            expect(lateMs).toBeLessThanOrEqual(given.catchUpSeconds * 1_000);
          }
          if (given.catchUp === 'latest') expect(found.firing.length).toBeLessThanOrEqual(1);
          seen.push(...times.sort((one, other) => one.getTime() - other.getTime()));
          nextAt = found.nextAt!;
        }
        const expected = timing.take(seen.length, at(0));
        expect(seen).toEqual(expected);
        expect(nextAt).toEqual(timing.next(expected.at(-1) ?? at(0)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('jitter', () => {
  it('is the same for a schedule and a time, and spreads schedules over the whole range', () => {
    expect(jitterMs('sch_1', at(0), 60)).toBe(jitterMs('sch_1', at(0), 60));
    const spread = Array.from({ length: 1_000 }, (_, index) => jitterMs(`sch_${index}`, at(0), 60));
    expect(Math.max(...spread)).toBeLessThan(60_000);
    expect(Math.max(...spread)).toBeGreaterThan(55_000);
    expect(Math.min(...spread)).toBeLessThan(5_000);
    expect(jitterMs('sch_1', at(0), 0)).toBe(0);
  });
});
