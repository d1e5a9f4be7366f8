/** What one point of a chart stands for: a day in UTC, or a moment. */
export type Step = 'day' | 'moment';

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const MOMENT = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const A_DAY_SECONDS = 86_400;

/** `Aug 3`, or `Aug 3, 14:05` where points are moments. */
export function pointName(at: string, step: Step): string {
  return (step === 'day' ? DAY : MOMENT).format(new Date(at));
}

/** The labels of an axis. The day is left out where all of them are within one or two days. */
export function axisNames(seconds: readonly number[], step: Step): string[] {
  const span = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0);
  const format = step === 'day' || span > 4 * A_DAY_SECONDS ? DAY : span > A_DAY_SECONDS ? MOMENT : CLOCK;
  return seconds.map((each) => format.format(new Date(each * 1_000)));
}
