import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { HostedEngine } from '../engine/hosted-engine.js';
import { databaseSizesSchedule } from './host.job.js';

@Injectable()
@Handles(databaseSizesSchedule)
export class SizeMeasuring implements ScheduleHandler {
  constructor(private readonly engine: HostedEngine) {}

  async run(): Promise<void> {
    if (this.engine.hostId !== undefined) await this.engine.measureAwake();
  }
}
