import { Injectable } from '@nestjs/common';
import { BackgroundCatalog } from '../../../platform/background/background-catalog.js';
import type { ScheduleDefinition } from '../../../platform/background/define-schedule.js';
import { ScheduleLeases, type ScheduleState } from '../../../platform/background/schedule-leases.js';

export interface ScheduleTime extends Pick<ScheduleDefinition, 'name' | 'summary' | 'everyMs'>, ScheduleState {
  /** When it is due: in the past while it is late or fails, and null before its first success. */
  readonly dueAt: Date | null;
}

/** When schedules ran. Those that every process runs for itself are not among them: no process knows of the others. */
@Injectable()
export class ScheduleTimes {
  constructor(
    private readonly catalog: BackgroundCatalog,
    private readonly leases: ScheduleLeases,
  ) {}

  async list(): Promise<ScheduleTime[]> {
    const states = await this.leases.states();
    return this.catalog.declared.schedules
      .filter(({ runsIn }) => runsIn === 'one')
      .map(({ name, summary, everyMs }) => {
        const { lastSuccessAt = null, isRunning = false } = states.get(name) ?? {};
        const dueAt = lastSuccessAt === null ? null : new Date(lastSuccessAt.getTime() + everyMs);
        return { name, summary, everyMs, lastSuccessAt, isRunning, dueAt };
      })
      .sort((one, other) => one.name.localeCompare(other.name));
  }
}
