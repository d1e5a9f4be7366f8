import { type DueTimes, dueTimesOf } from '../domain/due-times.js';
import { wakeAtOf } from '../domain/jitter.js';
import { admit } from '../domain/overlap.js';
import { Timing } from '../domain/timing.js';
import type { FiredSchedule, FireState, Schedule } from '../persistence/schedule-rows.js';

/** A schedule that fails this often without a success in between is paused. */
export const MAX_FAILURES = 5;

/** Why no run of a schedule can begin now. */
export type Refusal =
  /** The schedule is paused until the plan includes it again. */
  | { readonly kind: 'plan' }
  /** `counts`: it is a failure of the schedule, and not a decision of a person. */
  | { readonly kind: 'failure'; readonly reason: string; readonly counts: boolean };

/** A fire before it has an id, and before its run exists. */
interface FireDraft {
  readonly dueAt: Date;
  /** `started` begins a run. */
  readonly state: FireState;
  readonly reason: string | null;
  /** The fire that waited for this. It is a new one otherwise. */
  readonly bufferedId: string | null;
}

export interface FireDecision {
  readonly schedule: Schedule;
  /** Oldest first. */
  readonly drafts: readonly FireDraft[];
  /** The run to cancel. */
  readonly cancels: string | null;
  /** The schedule afterwards, but for the ids of new runs and fires. */
  readonly after: FiredSchedule;
}

interface Situation {
  readonly due: DueTimes;
  /** The time of the fire that waits, if there is one. */
  readonly bufferedFor: Date | undefined;
  readonly refusal: Refusal | undefined;
}

const NOTHING_DUE = { firing: [], skipped: [], missed: [] };

/** Returns the times of a schedule that are due. */
export function dueOf(schedule: Schedule, now: Date): DueTimes {
  const { nextAt, thenAt } = schedule;
  if (nextAt === null) return { ...NOTHING_DUE, nextAt, thenAt };
  return dueTimesOf({ ...schedule, nextAt, timing: Timing.of(schedule, schedule.anchorAt) }, now);
}

/** Decides what becomes of the due times of a schedule. It stores nothing. */
export function decide(schedule: Schedule, { due, bufferedFor, refusal }: Situation): FireDecision {
  const passed = [
    ...due.missed.map((dueAt) => draft(dueAt, 'missed', 'outside_catch_up')),
    ...due.skipped.map((dueAt) => draft(dueAt, 'skipped', 'catch_up')),
  ];
  const waits = bufferedFor !== undefined && schedule.activeRunId !== null;
  const waited = bufferedFor === undefined || waits ? [] : [bufferedFor];
  const moved = { ...schedule, ...nextOf(schedule, due), bufferedFireId: waits ? schedule.bufferedFireId : null };
  if (refusal !== undefined) {
    const times = [...waited, ...due.firing];
    const drafts = times.map((dueAt) => refusedDraft(dueAt, refusal, idOfBuffered(dueAt)));
    return { schedule, drafts: [...passed, ...drafts], cancels: null, after: refused(moved, refusal, times.length) };
  }
  const { admissions, cancelsActive } = admit([...waited, ...due.firing], schedule.overlap, {
    isActive: schedule.activeRunId !== null,
    isBuffered: waits,
  });
  const drafts = admissions.map((admission) => {
    const { dueAt, kind } = admission;
    if (admission.kind === 'skip') return draft(dueAt, 'skipped', admission.reason, idOfBuffered(dueAt));
    return kind === 'start' ? draft(dueAt, 'started', null, idOfBuffered(dueAt)) : draft(dueAt, 'due', 'overlap');
  });
  const cancels = cancelsActive ? schedule.activeRunId : null;
  return { schedule, drafts: [...passed, ...drafts], cancels, after: moved };

  function idOfBuffered(dueAt: Date): string | null {
    return waited.includes(dueAt) ? schedule.bufferedFireId : null;
  }
}

const draft = (dueAt: Date, state: FireState, reason: string | null, bufferedId: string | null = null): FireDraft => ({
  dueAt,
  state,
  reason,
  bufferedId,
});

function refusedDraft(dueAt: Date, refusal: Refusal, bufferedId: string | null): FireDraft {
  return refusal.kind === 'plan'
    ? draft(dueAt, 'skipped', 'feature_not_in_plan', bufferedId)
    : draft(dueAt, 'failed', refusal.reason, bufferedId);
}

type NextTimes = Pick<Schedule, 'state' | 'pausedBecause' | 'nextAt' | 'thenAt' | 'wakeAt'>;

function nextOf(schedule: Schedule, { nextAt, thenAt }: DueTimes): NextTimes {
  const { state, pausedBecause } = schedule;
  if (state === 'paused') return { state, pausedBecause, ...NO_TIMES };
  if (nextAt === null) return { state: 'paused', pausedBecause: 'finished', ...NO_TIMES };
  return { state, pausedBecause, nextAt, thenAt, wakeAt: wakeAtOf(schedule, nextAt) };
}

const NO_TIMES = { nextAt: null, thenAt: null, wakeAt: null };

function refused(moved: Schedule, refusal: Refusal, times: number): Schedule {
  if (moved.state === 'paused') return moved;
  if (refusal.kind === 'plan') return { ...moved, state: 'paused', pausedBecause: 'plan', ...NO_TIMES };
  const failuresInARow = moved.failuresInARow + (refusal.counts ? times : 0);
  return refusal.counts && failuresInARow >= MAX_FAILURES
    ? { ...moved, failuresInARow, state: 'paused', pausedBecause: 'failures', ...NO_TIMES }
    : { ...moved, failuresInARow };
}
