import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { FactorRecoveryService } from '../factor-recovery.service.js';
import { factorRecoveriesSchedule } from './factors.job.js';

@Injectable()
@Handles(factorRecoveriesSchedule)
export class FactorRecoveriesSweeper implements ScheduleHandler {
  constructor(private readonly recoveries: FactorRecoveryService) {}

  async run(): Promise<void> {
    await this.recoveries.advance();
  }
}
