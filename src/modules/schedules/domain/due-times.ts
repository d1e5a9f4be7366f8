import { jitterMs } from './jitter.js';
import type { Timing } from './timing.js';

/** Which times of an outage are made up for: the last one, or all. */
export const CATCH_UPS = ['latest', 'all'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

/** The highest number of runs that catch up at once, and of times that are recorded as missed or skipped at once. */
export const MAX_CAUGHT_UP = 100;

/** What decides which times of a schedule are due. */
export interface DueTimesInput {
  readonly id: string;
  readonly timing: Timing;
  /** The earliest time that has not been dealt with, and the one after it if it is known. */
  readonly nextAt: Date;
  readonly thenAt: Date | null;
  readonly catchUp: CatchUp;
  readonly catchUpSeconds: number;
  readonly jitterSeconds: number;
}

export interface DueTimes {
  /** Times that are to fire, oldest first. */
  readonly firing: readonly Date[];
  /** Times that a later one stands for, as only the latest is made up for. */
  readonly skipped: readonly Date[];
  /** Times that are too old. At most {@link MAX_CAUGHT_UP} are recorded, however long the outage was. */
  readonly missed: readonly Date[];
  /** Null when there is no further time. */
  readonly nextAt: Date | null;
  /** Null when it is not known yet. */
  readonly thenAt: Date | null;
}

/** Returns the times that are due. In the usual case there is one, the next is known, and none is computed. */
export function dueTimesOf(input: DueTimesInput, now: Date): DueTimes {
  const windowMs = input.catchUpSeconds * 1_000;
  const latenessOf = (time: Date): number =>
    now.getTime() - time.getTime() - jitterMs(input.id, time, input.jitterSeconds);
  const missed: Date[] = [];
  const inTime: Date[] = [];
  let time: Date | undefined = input.nextAt;
  let then = input.thenAt;
  while (time !== undefined && latenessOf(time) >= 0) {
    if (latenessOf(time) <= windowMs) inTime.push(time);
    else if (missed.length < MAX_CAUGHT_UP) missed.push(time);
    else {
      // The rest of a long outage is not counted through: the chain continues where the window begins.
      const start = new Date(now.getTime() - windowMs - input.jitterSeconds * 1_000 - 1);
      time = input.timing.next(start > time ? start : time);
      then = null;
      continue;
    }
    time = then ?? input.timing.next(time);
    then = null;
  }
  const rest = { nextAt: time ?? null, thenAt: then };
  if (input.catchUp === 'latest')
    return { firing: inTime.slice(-1), skipped: inTime.slice(0, -1).slice(-MAX_CAUGHT_UP), missed, ...rest };
  const tooMany = inTime.slice(0, -MAX_CAUGHT_UP);
  return {
    firing: inTime.slice(-MAX_CAUGHT_UP),
    skipped: [],
    missed: [...missed, ...tooMany].slice(-MAX_CAUGHT_UP),
    ...rest,
  };
}
