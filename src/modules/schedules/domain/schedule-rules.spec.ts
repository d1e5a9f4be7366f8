import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { faultOfAt, faultOfInput, requireJitterBelowPeriod, requireTiming } from './schedule-rules.js';
import { Timing, type TimingFields } from './timing.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const NONE: TimingFields = { cron: null, everySeconds: null, at: null, timeZone: 'UTC' };
const codeOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(RequestInvalid);
    return ((error as RequestInvalid).help.details as { code: string }[])[0]!.code;
  }
};

describe('the rules of schedules', () => {
  it('want exactly one timing, to come within ten years', () => {
    expect(
      codeOf(() => {
        requireTiming(NONE, NOW);
      }),
    ).toBe('one_timing');
    expect(
      codeOf(() => {
        requireTiming({ ...NONE, cron: '* * * * *', everySeconds: 60 }, NOW);
      }),
    ).toBe('one_timing');
    expect(
      codeOf(() => {
        requireTiming({ ...NONE, at: NOW }, NOW);
      }),
    ).toBe('in_future');
    expect(
      codeOf(() => {
        requireTiming({ ...NONE, at: new Date('2040-01-01') }, NOW);
      }),
    ).toBe('in_ten_years');
    expect(
      codeOf(() => {
        requireTiming({ ...NONE, everySeconds: 60 }, NOW);
      }),
    ).toBeUndefined();
  });

  it('want jitter below the shortest interval', () => {
    const cron = Timing.of({ ...NONE, cron: '0,10 9 * * *' }, NOW);
    expect(
      codeOf(() => {
        requireJitterBelowPeriod(cron, 600, NOW);
      }),
    ).toBe('below_period');
    expect(
      codeOf(() => {
        requireJitterBelowPeriod(cron, 599, NOW);
      }),
    ).toBeUndefined();
    const single = Timing.of({ ...NONE, at: new Date('2026-02-01') }, NOW);
    expect(
      codeOf(() => {
        requireJitterBelowPeriod(single, 3_600, NOW);
      }),
    ).toBeUndefined();
  });

  it.each([
    ['text', true],
    [{ a: 1 }, true],
    [[], false],
    [1, false],
    [null, false],
    [undefined, false],
  ])('take text or an object as input: %j', (input, isValid) => {
    expect(faultOfInput(input) === undefined).toBe(isValid);
  });

  it('refuse input that is too large or cannot be stored', () => {
    expect(faultOfInput('x'.repeat(65_534))).toBeUndefined();
    expect(faultOfInput('x'.repeat(65_535))).toMatch(/at most 65536 bytes/);
    expect(faultOfInput({ a: ['\0'] })).toMatch(/zero characters/);
    expect(faultOfInput({ ['\ud800']: 1 })).toMatch(/surrogate/);
    expect(faultOfInput('😀')).toBeUndefined();
  });

  it.each([
    ['2026-12-01T09:00:00Z', true],
    ['2026-12-01T09:00:00+02:00', true],
    ['2026-12-01T09:00', false],
    ['2026-13-01T09:00:00Z', false],
    ['tomorrow', false],
    [0, false],
  ])('take a time with an offset: %j', (text, isValid) => {
    expect(faultOfAt(text) === undefined).toBe(isValid);
  });
});
