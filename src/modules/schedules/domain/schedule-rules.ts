import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { CronExpression, CronExpressionInvalid } from '../../../platform/time/cron-expression.js';
import { WallClock } from '../../../platform/time/wall-clock.js';
import { type Timing, type TimingFields } from './timing.js';

export const MIN_EVERY_SECONDS = 60;
export const MAX_EVERY_SECONDS = 365 * 86_400;
export const MIN_CATCH_UP_SECONDS = 60;
export const MAX_CATCH_UP_SECONDS = 86_400;
export const MAX_JITTER_SECONDS = 3_600;
export const MAX_INPUT_BYTES = 65_536;

const MAX_AHEAD_MS = 10 * 365 * 86_400_000;
/** How many times are looked at to find the shortest interval. */
const LOOKED_AT = 200;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
/** PostgreSQL stores neither a zero byte nor half of a surrogate pair. */
const UNSTORABLE = /\0|\p{Cs}/u;

/** Returns what is wrong with a cron expression, or undefined. */
export function faultOfCron(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'must be a cron expression such as "0 5 * * *"';
  try {
    CronExpression.parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof CronExpressionInvalid) return error.message;
    throw error;
  }
}

/** Returns what is wrong with a time zone, or undefined. */
export const faultOfTimeZone = (name: unknown): string | undefined =>
  typeof name === 'string' && WallClock.in(name) !== undefined
    ? undefined
    : 'must be a time zone of IANA such as Europe/Berlin';

/** Returns what is wrong with a time to fire at, or undefined. */
export const faultOfAt = (text: unknown): string | undefined =>
  typeof text === 'string' && INSTANT.test(text) && !Number.isNaN(Date.parse(text))
    ? undefined
    : 'must be a time with its offset such as 2026-12-01T09:00:00Z';

/** Returns what is wrong with the input of the runs, or undefined. */
export function faultOfInput(input: unknown): string | undefined {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isObject && typeof input !== 'string') return 'must be text or an object';
  if (Buffer.byteLength(JSON.stringify(input)) > MAX_INPUT_BYTES)
    return `must be at most ${MAX_INPUT_BYTES} bytes of JSON`;
  return hasUnstorableText(input) ? 'must not contain zero characters or half surrogate pairs' : undefined;
}

function hasUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return UNSTORABLE.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, each]) => UNSTORABLE.test(name) || hasUnstorableText(each));
}

/** @throws {RequestInvalid} `invalid_request`: not exactly one of the three is given, or `at` is not to come. */
export function requireTiming({ cron, everySeconds, at }: TimingFields, now: Date): void {
  const given = [cron, everySeconds, at].filter((value) => value !== null).length;
  if (given !== 1)
    throw fault({
      path: '',
      code: 'one_timing',
      message: `Give exactly one of cron, every_seconds and at. ${given} are given.`,
      expected: ['cron', 'every_seconds', 'at'],
    });
  if (at === null) return;
  if (at <= now) throw fault({ path: 'at', code: 'in_future', message: 'at must be in the future.' });
  if (at.getTime() - now.getTime() > MAX_AHEAD_MS)
    throw fault({ path: 'at', code: 'in_ten_years', message: 'at must be within ten years.' });
}

/** @throws {RequestInvalid} `invalid_request`: times with jitter could change places. */
export function requireJitterBelowPeriod(timing: Timing, jitterSeconds: number, now: Date): void {
  if (jitterSeconds === 0) return;
  const times = timing.take(LOOKED_AT, now);
  const gaps = times.slice(1).map((time, index) => (time.getTime() - times[index]!.getTime()) / 1_000);
  const shortest = Math.min(...gaps);
  if (jitterSeconds < shortest) return;
  throw fault({
    path: 'jitter_seconds',
    code: 'below_period',
    message: `jitter_seconds must be below the shortest time between two fires, which is ${shortest} s.`,
    expected: { below: shortest },
  });
}

const fault = (each: Omit<FieldFault, 'in'>): RequestInvalid => new RequestInvalid([{ ...each, in: 'body' }]);
