import { CronExpression, CronExpressionInvalid } from '../../platform/time/cron-expression.js';
import { WallClock } from '../../platform/time/wall-clock.js';

/** The limit of crons of a project by API, and by file. */
export const MAX_CRONS = 20;

const MAX_PATH = 512;
const PATH = /^\/(?![/\\])[\x21\x22\x24-\x5b\x5d-\x7e]*$/;

/** Returns what is wrong with a path that a cron requests, or undefined. */
export function faultOfPath(path: unknown): string | undefined {
  return typeof path === 'string' && path.length <= MAX_PATH && PATH.test(path)
    ? undefined
    : `must be a path such as /api/cleanup, with at most ${MAX_PATH} characters and no spaces`;
}

/** Returns what is wrong with a schedule, or undefined. */
export function faultOfSchedule(schedule: unknown): string | undefined {
  if (typeof schedule !== 'string') return 'must be a cron expression such as "0 5 * * *"';
  try {
    CronExpression.parse(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof CronExpressionInvalid) return error.message;
    throw error;
  }
}

/** Returns what is wrong with a time zone, or undefined. */
export function faultOfTimeZone(timeZone: unknown): string | undefined {
  return typeof timeZone === 'string' && WallClock.in(timeZone) !== undefined
    ? undefined
    : 'must be a time zone of IANA such as Europe/Berlin';
}

/** A cron that a build found in a file of the repository. */
export interface FileCron {
  readonly path: string;
  readonly schedule: string;
}

/** Returns the crons that can run. The others are reported, with what is wrong with them. */
export function usableCrons(found: readonly FileCron[], report: (text: string) => void): FileCron[] {
  const usable: FileCron[] = [];
  for (const { path, schedule } of found.slice(0, MAX_CRONS)) {
    const fault = faultOfPath(path) ?? faultOfSchedule(schedule);
    if (fault !== undefined)
      report(`A cron was left out: ${JSON.stringify({ path, schedule }).slice(0, 200)} ${fault}.`);
    else if (!usable.some((other) => other.path === path && other.schedule === schedule))
      usable.push({ path, schedule });
  }
  if (found.length > MAX_CRONS)
    report(`${found.length - MAX_CRONS} crons were left out: a project can have ${MAX_CRONS}.`);
  return usable;
}
