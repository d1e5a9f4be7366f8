import { Module } from '@nestjs/common';
import { DueSchedulesStore } from './due-schedules.store.js';
import { PlanPausesStore } from './plan-pauses.store.js';
import { ScheduleFiresStore } from './schedule-fires.store.js';
import { SchedulesStore } from './schedules.store.js';

const STORES = [DueSchedulesStore, PlanPausesStore, ScheduleFiresStore, SchedulesStore];

@Module({ providers: STORES, exports: STORES })
export class SchedulesPersistenceModule {}
