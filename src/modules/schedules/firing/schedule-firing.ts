import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { hasMetOthers } from '../../../platform/database/met-others.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { DueSchedulesStore } from '../persistence/due-schedules.store.js';
import type { Schedule } from '../persistence/schedule-rows.js';
import { FireRecords } from './fire-records.js';
import { FireRefusals } from './fire-refusals.js';
import { decide, dueOf, type Refusal } from './fire-decisions.js';

/** How many schedules one transaction fires. */
const BATCH = 500;

/** Fires what is due. Any number of processes may do so at once: each takes schedules that no other has. */
@Injectable()
export class ScheduleFiring {
  constructor(
    private readonly database: Database,
    private readonly due: DueSchedulesStore,
    private readonly refusals: FireRefusals,
    private readonly records: FireRecords,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Fires schedules until nothing is due. */
  async fireDue(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.round()) === BATCH);
  }

  private async round(): Promise<number> {
    const now = this.clock.now();
    try {
      return await this.database.transaction(async () => this.fire(await this.due.take(now, BATCH), now));
    } catch (error) {
      // The next sweep tries again.
      if (hasMetOthers(error)) return 0;
      this.log.warn({ error }, 'Schedules could not be fired together, so each is fired by itself.');
      return this.fireOneByOne(now);
    }
  }

  /** One schedule that cannot be fired must not keep the others waiting. Returns how many were dealt with. */
  private async fireOneByOne(now: Date): Promise<number> {
    let count = 0;
    for (const id of await this.due.dueIds(now, BATCH)) {
      try {
        count += await this.fireOne(id, now).catch((error: unknown) => this.recordFailure(id, now, error));
      } catch (error) {
        // It stays due, and the next sweep tries again.
        this.log.warn({ error, scheduleId: id }, 'The failure of a schedule could not be recorded.');
      }
    }
    return count;
  }

  private fireOne(id: string, now: Date, always?: Refusal): Promise<number> {
    return this.database.transaction(async () => this.fire(await this.due.takeOne(now, id), now, always));
  }

  private async recordFailure(id: string, now: Date, error: unknown): Promise<number> {
    if (hasMetOthers(error)) return 0;
    this.log.warn({ error, scheduleId: id }, 'A schedule could not be fired.');
    const reason = error instanceof DomainError ? error.code : 'internal_error';
    return this.fireOne(id, now, { kind: 'failure', reason, counts: true });
  }

  /** Fires schedules that are locked, and returns their number. */
  private async fire(schedules: readonly Schedule[], now: Date, always?: Refusal): Promise<number> {
    if (schedules.length === 0) return 0;
    const known = await this.refusals.of(schedules);
    const dueTimes = await this.records.withoutKnown(
      schedules.map((schedule) => dueOf(schedule, now)),
      schedules,
    );
    const buffered = await this.records.bufferedTimes(schedules);
    const decisions = schedules.map((schedule, index) =>
      decide(schedule, {
        due: dueTimes[index]!,
        bufferedFor: buffered.get(schedule.bufferedFireId ?? ''),
        refusal: always ?? known.refusalOf(schedule),
      }),
    );
    await this.records.store(decisions, known.agents, now);
    return schedules.length;
  }
}
