import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { RunWorkerService } from '../engine/run-worker.service.js';
import { agentRunsSchedule } from './runs.job.js';

@Injectable()
@Handles(agentRunsSchedule)
export class AgentRunsTicker implements ScheduleHandler {
  constructor(private readonly worker: RunWorkerService) {}

  run(): Promise<void> {
    return this.worker.takeRuns();
  }
}
