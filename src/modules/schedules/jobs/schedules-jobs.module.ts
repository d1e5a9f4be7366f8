import { Module } from '@nestjs/common';
import { SchedulesPersistenceModule } from '../persistence/schedules-persistence.module.js';
import { SchedulesModule } from '../schedules.module.js';
import { DueSchedulesSweeper } from './due-schedules.sweeper.js';
import { OldFiresSweeper } from './old-fires.sweeper.js';
import { PlanPausesSweeper } from './plan-pauses.sweeper.js';
import { ScheduleAgentDeletedProcessor } from './schedule-agent-deleted.processor.js';
import { ScheduleOrgDeletedProcessor } from './schedule-org-deleted.processor.js';

@Module({
  imports: [SchedulesModule, SchedulesPersistenceModule],
  providers: [
    DueSchedulesSweeper,
    OldFiresSweeper,
    PlanPausesSweeper,
    ScheduleAgentDeletedProcessor,
    ScheduleOrgDeletedProcessor,
  ],
})
export class SchedulesJobsModule {}
