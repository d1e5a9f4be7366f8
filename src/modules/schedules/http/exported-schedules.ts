import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { SchedulesService } from '../domain/schedules.service.js';
import { AgentScheduleView } from './agent-schedule-views.dto.js';

/** The schedules of agents of the personal organization. */
@Injectable()
@ExportedAs('schedule')
export class ExportedSchedules implements PersonalDataSource {
  constructor(private readonly schedules: SchedulesService) {}

  async *read(call: Call): AsyncIterable<AgentScheduleView[]> {
    for await (const schedules of allPages((page) => this.schedules.list(call, {}, page)))
      yield schedules.map((schedule) => AgentScheduleView.of(schedule));
  }
}
