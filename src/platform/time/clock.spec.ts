import fc from 'fast-check';
import { nextUtcMidnight, secondsUntil, utcDay } from './clock.js';

describe('utcDay', () => {
  it('ends exactly where the next one starts', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), (at) => {
        const midnight = nextUtcMidnight(at);
        expect(midnight.getTime()).toBeGreaterThan(at.getTime());
        expect(utcDay(new Date(midnight.getTime() - 1))).toBe(utcDay(at));
        expect(utcDay(midnight)).not.toBe(utcDay(at));
      }),
    );
  });
});

describe('secondsUntil', () => {
  it('rounds up, so that waiting that long is always long enough', () => {
    expect(secondsUntil(new Date(1_001), new Date(0))).toBe(2);
    expect(secondsUntil(new Date(0), new Date(5_000))).toBe(0);
  });
});
