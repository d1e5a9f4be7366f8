import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import type { LiveAgent } from '../../agents/live-agents.service.js';
import type { DueTimes } from '../domain/due-times.js';
import { wakeAtOf } from '../domain/jitter.js';
import { FireMetrics } from '../metrics/fire.metrics.js';
import { DueSchedulesStore } from '../persistence/due-schedules.store.js';
import type { Fire, FiredSchedule, Schedule } from '../persistence/schedule-rows.js';
import { ScheduleFiresStore } from '../persistence/schedule-fires.store.js';
import { SCHEDULE_FIRE_ID } from '../schedules.ids.js';
import type { FireDecision } from './fire-decisions.js';
import { ScheduledRuns } from './scheduled-runs.js';

interface StoredFire {
  readonly decision: FireDecision;
  readonly fire: Fire;
  readonly isNew: boolean;
}

/** Stores what was decided for schedules that are locked, in the running transaction. */
@Injectable()
export class FireRecords {
  constructor(
    private readonly database: Database,
    private readonly schedules: DueSchedulesStore,
    private readonly fires: ScheduleFiresStore,
    private readonly runs: ScheduledRuns,
    private readonly metrics: FireMetrics,
    private readonly ids: Ids,
  ) {}

  /** Leaves out the times that have a fire already, which happens after a clock or a schedule was set back. */
  async withoutKnown(dueTimes: readonly DueTimes[], schedules: readonly Schedule[]): Promise<readonly DueTimes[]> {
    const times = dueTimes.flatMap(({ firing, skipped, missed }, index) =>
      [...firing, ...skipped, ...missed].map((dueAt) => ({ scheduleId: schedules[index]!.id, dueAt })),
    );
    const known = new Set((await this.fires.known(times)).map(({ scheduleId, dueAt }) => keyOf(scheduleId, dueAt)));
    if (known.size === 0) return dueTimes;
    return dueTimes.map((due, index) => {
      const isUnknown = (dueAt: Date): boolean => !known.has(keyOf(schedules[index]!.id, dueAt));
      const [firing, skipped, missed] = [due.firing, due.skipped, due.missed].map((each) => each.filter(isUnknown));
      return { ...due, firing: firing!, skipped: skipped!, missed: missed! };
    });
  }

  async isKnown(time: Pick<Fire, 'scheduleId' | 'dueAt'>): Promise<boolean> {
    return (await this.fires.known([time])).length > 0;
  }

  /** Returns the times of the fires that wait for the end of a run, by their ids. */
  async bufferedTimes(schedules: readonly Schedule[]): Promise<ReadonlyMap<string, Date>> {
    const ids = schedules.flatMap(({ bufferedFireId }) => (bufferedFireId === null ? [] : [bufferedFireId]));
    return new Map((await this.fires.buffered(ids)).map(({ id, dueAt }) => [id, dueAt]));
  }

  /** Stores the fires and creates their runs. Returns the fires in the order of the decisions. */
  async store(
    decisions: readonly FireDecision[],
    agents: ReadonlyMap<string, LiveAgent>,
    now: Date,
  ): Promise<readonly Fire[]> {
    await this.runs.cancel(decisions.filter(({ cancels }) => cancels !== null).map(({ schedule }) => schedule));
    const drafted = decisions.flatMap((decision) => this.firesOf(decision, now));
    const starting = drafted.filter(({ fire }) => fire.state === 'started');
    const runIds = await this.runs.create(
      starting.map(({ decision }) => decision.schedule),
      agents,
    );
    const runOf = new Map(starting.map(({ fire }, index) => [fire.id, runIds[index]!]));
    const stored = drafted.map((each) => ({ ...each, fire: { ...each.fire, runId: runOf.get(each.fire.id) ?? null } }));
    await this.fires.insert(stored.filter(({ isNew }) => isNew).map(({ fire }) => fire));
    await this.fires.settle(stored.filter(({ isNew }) => !isNew).map(({ fire }) => fire));
    await this.schedules.save(decisions.map((decision) => this.savedOf(decision, stored)));
    await this.measure(stored, now);
    return stored.map(({ fire }) => fire);
  }

  private firesOf(decision: FireDecision, now: Date): StoredFire[] {
    const { id: scheduleId, orgId } = decision.schedule;
    return decision.drafts.map(({ dueAt, state, reason, bufferedId }) => {
      const id = bufferedId ?? this.ids.next(SCHEDULE_FIRE_ID);
      const firedAt = state === 'due' ? null : now;
      const fire: Fire = { id, scheduleId, orgId, dueAt, state, reason, runId: null, firedAt };
      return { decision, fire, isNew: bufferedId === null };
    });
  }

  private savedOf({ schedule, after, cancels }: FireDecision, stored: readonly StoredFire[]): FiredSchedule {
    const own = stored.filter(({ decision }) => decision.schedule === schedule).map(({ fire }) => fire);
    const started = own.findLast(({ runId }) => runId !== null)?.runId;
    const { id, state, pausedBecause, nextAt, thenAt, wakeAt, failuresInARow } = after;
    return {
      id,
      state,
      pausedBecause,
      nextAt,
      thenAt,
      wakeAt,
      failuresInARow,
      activeRunId: started ?? (cancels === null ? schedule.activeRunId : null),
      bufferedFireId: own.find((fire) => fire.state === 'due')?.id ?? after.bufferedFireId,
    };
  }

  private async measure(stored: readonly StoredFire[], now: Date): Promise<void> {
    await this.database.afterCommit(() => {
      for (const { fire, decision, isNew } of stored) {
        this.metrics.count(fire.state);
        if (fire.state === 'started' && isNew) this.metrics.late(now, wakeAtOf(decision.schedule, fire.dueAt));
      }
      return Promise.resolve();
    });
  }
}

const keyOf = (scheduleId: string, dueAt: Date): string => `${scheduleId} ${dueAt.getTime()}`;
