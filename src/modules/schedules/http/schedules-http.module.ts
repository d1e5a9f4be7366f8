import { Module } from '@nestjs/common';
import { SchedulesModule } from '../schedules.module.js';
import { ExportedSchedules } from './exported-schedules.js';
import { ScheduleFiresController } from './schedule-fires.controller.js';
import { SchedulesController } from './schedules.controller.js';

@Module({
  imports: [SchedulesModule],
  controllers: [SchedulesController, ScheduleFiresController],
  providers: [ExportedSchedules],
})
export class SchedulesHttpModule {}
