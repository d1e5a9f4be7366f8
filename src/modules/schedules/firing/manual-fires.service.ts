import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { Clock } from '../../../platform/time/clock.js';
import { ScheduleAccess } from '../domain/schedule-access.js';
import { ScheduleGate } from '../domain/schedule-gate.js';
import type { Fire, Schedule } from '../persistence/schedule-rows.js';
import { decide } from './fire-decisions.js';
import { FireRecords } from './fire-records.js';
import { FireRefusals } from './fire-refusals.js';

/** Fires a schedule when a person asks, whether or not it is paused. */
@Injectable()
export class ManualFiresService {
  constructor(
    private readonly database: Database,
    private readonly access: ScheduleAccess,
    private readonly gate: ScheduleGate,
    private readonly refusals: FireRefusals,
    private readonly records: FireRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * Fires now, by the rule of the schedule for runs that overlap.
   *
   * @throws {ScheduleNotFound} `schedule_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  trigger(call: Call, id: string): Promise<Fire> {
    return this.database.transaction(async () => {
      const schedule = await this.access.lock(call, id);
      await this.gate.require(schedule.orgId);
      const now = this.clock.now();
      const dueAt = await this.freeTimeOf(schedule, now);
      const facts = await this.refusals.of([schedule]);
      const buffered = await this.records.bufferedTimes([schedule]);
      const decision = decide(schedule, {
        due: { firing: [dueAt], skipped: [], missed: [], nextAt: schedule.nextAt, thenAt: schedule.thenAt },
        bufferedFor: buffered.get(schedule.bufferedFireId ?? ''),
        refusal: facts.refusalOf(schedule),
      });
      const fires = await this.records.store([decision], facts.agents, now);
      await this.access.record(call, 'schedule.triggered', schedule);
      return fires.find((fire) => fire.dueAt.getTime() === dueAt.getTime())!;
    });
  }

  /** Times of schedules are whole seconds, so that one that is not never takes the place of one that is to come. */
  private async freeTimeOf({ id: scheduleId }: Schedule, now: Date): Promise<Date> {
    for (let ms = now.getTime(); ; ms++) {
      const dueAt = new Date(ms);
      if (ms % 1_000 === 0) continue;
      if (!(await this.records.isKnown({ scheduleId, dueAt }))) return dueAt;
    }
  }
}
