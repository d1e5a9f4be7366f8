import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Principal } from '../../auth/principal.js';
import type { PauseCause, Schedule, ScheduleFields } from '../persistence/schedule-rows.js';
import { SCHEDULE_ID } from '../schedules.ids.js';
import { wakeAtOf } from './jitter.js';
import { requireJitterBelowPeriod, requireTiming } from './schedule-rules.js';
import { Timing, type TimingFields } from './timing.js';

type Times = Pick<Schedule, 'nextAt' | 'thenAt' | 'wakeAt'>;

const TIMING: readonly (keyof TimingFields)[] = ['cron', 'everySeconds', 'at', 'timeZone'];

/** Computes what follows from the fields that people choose. It stores nothing. */
@Injectable()
export class ScheduleCreation {
  constructor(
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  get now(): Date {
    return this.clock.now();
  }

  /** @throws {RequestInvalid} `invalid_request` */
  of(
    { user, credential }: Principal,
    { id: agentId, orgId }: Pick<Schedule, 'id' | 'orgId'>,
    fields: ScheduleFields,
  ): Schedule {
    const now = this.now;
    const schedule = {
      ...fields,
      id: this.ids.next(SCHEDULE_ID),
      orgId,
      agentId,
      anchorAt: wholeSeconds(now),
      state: 'active' as const,
      pausedBecause: null,
      activeRunId: null,
      bufferedFireId: null,
      failuresInARow: 0,
      createdBy: user.id,
      createdKeyId: credential.type === 'api_key' ? credential.keyId : null,
      createdAt: now,
      updatedAt: now,
    };
    requireTiming(fields, now);
    requireJitter(schedule, now);
    return { ...schedule, ...this.timesOf(schedule, now) };
  }

  /** Times that passed are not made up for when other times are chosen. @throws as {@link of}. */
  changed(schedule: Schedule, changes: Partial<ScheduleFields>): Schedule {
    const now = this.now;
    const after: Schedule = { ...schedule, ...changes, updatedAt: now };
    const isRetimed = TIMING.some((name) => String(after[name]) !== String(schedule[name]));
    if (isRetimed) requireTiming(after, now);
    const moved = isRetimed ? { ...after, anchorAt: wholeSeconds(now) } : after;
    requireJitter(moved, now);
    // One whose only time has passed begins again with the new one.
    if (isRetimed && schedule.pausedBecause === 'finished')
      return { ...moved, state: 'active', pausedBecause: null, ...this.timesOf(moved, now) };
    if (isRetimed && schedule.state === 'active') return { ...moved, ...this.timesOf(moved, now) };
    return moved.nextAt === null ? moved : { ...moved, wakeAt: wakeAtOf(moved, moved.nextAt) };
  }

  /** Times that passed while it was paused are not made up for. @throws as {@link of}. */
  resumed(schedule: Schedule): Schedule {
    const now = this.now;
    requireTiming(schedule, now);
    const after = { ...schedule, failuresInARow: 0, updatedAt: now };
    return { ...after, state: 'active', pausedBecause: null, ...this.timesOf(after, now) };
  }

  /** What a plan paused goes on with its next time. One whose only time has passed meanwhile is finished. */
  resumedByPlan(schedule: Schedule): Schedule {
    const now = this.now;
    const hasTimes = Timing.of(schedule, schedule.anchorAt).next(now) !== undefined;
    if (!hasTimes) return { ...schedule, pausedBecause: 'finished', updatedAt: now };
    return { ...schedule, state: 'active', pausedBecause: null, updatedAt: now, ...this.timesOf(schedule, now) };
  }

  paused(schedule: Schedule, pausedBecause: PauseCause): Schedule {
    const noTimes = { nextAt: null, thenAt: null, wakeAt: null };
    return { ...schedule, ...noTimes, state: 'paused', pausedBecause, updatedAt: this.now };
  }

  private timesOf(schedule: Omit<Schedule, keyof Times>, now: Date): Times {
    const [nextAt = null, thenAt = null] = Timing.of(schedule, schedule.anchorAt).take(2, now);
    return { nextAt, thenAt, wakeAt: nextAt === null ? null : wakeAtOf(schedule, nextAt) };
  }
}

const requireJitter = (schedule: ScheduleFields & Pick<Schedule, 'anchorAt'>, now: Date): void => {
  requireJitterBelowPeriod(Timing.of(schedule, schedule.anchorAt), schedule.jitterSeconds, now);
};

/** Every time of a schedule is at a whole second, so that times of manual fires can never be one. */
const wholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1_000) * 1_000);
