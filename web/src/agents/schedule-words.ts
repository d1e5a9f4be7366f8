import type { Schedule, ScheduleFire, ScheduleTimes } from '@service/client';
import { scheduleInWords } from '../data/schedule-words';

type Tone = 'good' | 'bad' | 'warn' | 'quiet';

const FULL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function timesInWords({ cron, every_seconds: every, at }: ScheduleTimes): string {
  if (cron != null) return scheduleInWords(cron) ?? cron;
  if (every != null) return `Every ${everyInWords(every)}`;
  return at == null ? '–' : `Once, ${FULL.format(new Date(at))}`;
}

function everyInWords(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const;
  const [size, word] = units.find(([each]) => seconds % each === 0) ?? units[3];
  const count = seconds / size;
  return count === 1 ? word : `${count} ${word}s`;
}

export const PAUSES: Readonly<Record<NonNullable<Schedule['paused_because']>, string>> = {
  person: 'Paused',
  failures: 'Paused after failures',
  plan: 'Paused by the plan',
  finished: 'Finished',
};

export const FIRES: Readonly<Record<ScheduleFire['state'], readonly [Tone, string]>> = {
  due: ['warn', 'Due'],
  started: ['good', 'Started'],
  skipped: ['quiet', 'Skipped'],
  missed: ['warn', 'Missed'],
  failed: ['bad', 'Failed'],
};

export const OVERLAPS: readonly (readonly [Schedule['overlap'], string])[] = [
  ['skip', 'Skip this time'],
  ['buffer_one', 'Start when it has ended'],
  ['cancel_other', 'Cancel it'],
  ['allow', 'Start beside it'],
];

/** A time of a schedule as its zone has it. */
export const inZone = (at: string, zone: string): string =>
  new Intl.DateTimeFormat('en', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
    timeZoneName: 'short',
  }).format(new Date(at));

/** The zones that the browser suggests. It knows more, such as newer names of the same zones. */
export const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
