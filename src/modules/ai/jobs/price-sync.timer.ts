import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { PriceSyncService } from '../catalog/price-sync.service.js';
import { priceSyncSchedule } from './ai.job.js';

@Injectable()
@Handles(priceSyncSchedule)
export class PriceSyncTimer implements ScheduleHandler {
  constructor(private readonly sync: PriceSyncService) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.sync.run(stopping);
  }
}
