import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { StorageSampler } from '../storage/storage-sampler.js';
import { storageSamplingSchedule } from './metering.job.js';

@Injectable()
@Handles(storageSamplingSchedule)
export class StorageSamplingTimer implements ScheduleHandler {
  constructor(private readonly sampler: StorageSampler) {}

  run(): Promise<void> {
    return this.sampler.sample();
  }
}
