import type { CatchUp } from '../domain/due-times.js';
import type { Overlap } from '../domain/overlap.js';
import type { TimingFields } from '../domain/timing.js';

export const SCHEDULE_STATES = ['active', 'paused'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** `finished`: its only time has passed. */
export const PAUSE_CAUSES = ['person', 'failures', 'plan', 'finished'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/** The limits of each run, as the API writes them. */
export interface ScheduleBudget {
  /** USD, as a decimal. */
  readonly cost?: string;
  readonly steps?: number;
  readonly active_seconds?: number;
  readonly tool_calls?: number;
}

/** What people choose. */
export interface ScheduleFields extends TimingFields {
  readonly name: string;
  /** Text, or a JSON object. */
  readonly input: unknown;
  readonly budget: ScheduleBudget | null;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  readonly catchUpSeconds: number;
  readonly jitterSeconds: number;
}

export interface Schedule extends ScheduleFields {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  /** The time from which `every_seconds` counts. */
  readonly anchorAt: Date;
  readonly state: ScheduleState;
  readonly pausedBecause: PauseCause | null;
  /** The earliest time that has not been dealt with. Null unless it is active. */
  readonly nextAt: Date | null;
  /** The time after it, computed in advance so that firing computes none. */
  readonly thenAt: Date | null;
  /** When there is something to do. Null when there is not. */
  readonly wakeAt: Date | null;
  /** The last run, while it is active. */
  readonly activeRunId: string | null;
  /** The fire that starts when the active run is over. */
  readonly bufferedFireId: string | null;
  readonly failuresInARow: number;
  /** The person whose permissions the runs have, with the key that created the schedule. */
  readonly createdBy: string;
  readonly createdKeyId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What firing changes. */
export type FiredSchedule = Pick<
  Schedule,
  | 'id'
  | 'state'
  | 'pausedBecause'
  | 'nextAt'
  | 'thenAt'
  | 'wakeAt'
  | 'activeRunId'
  | 'bufferedFireId'
  | 'failuresInARow'
>;

export const FIRE_STATES = ['due', 'started', 'skipped', 'missed', 'failed'] as const;
export type FireState = (typeof FIRE_STATES)[number];

/** A time of a schedule, and what came of it. */
export interface Fire {
  readonly id: string;
  readonly scheduleId: string;
  readonly orgId: string;
  readonly dueAt: Date;
  readonly state: FireState;
  /** Why there is no run, or not yet. */
  readonly reason: string | null;
  readonly runId: string | null;
  /** When it was decided. Null while it is due. */
  readonly firedAt: Date | null;
}

export interface ScheduleWithLastFire extends Schedule {
  readonly lastFire: Fire | null;
}
