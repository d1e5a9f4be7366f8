import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { swarmReviewsSchedule } from './swarms.job.js';

@Injectable()
@Handles(swarmReviewsSchedule)
export class SwarmReviewsSweeper implements ScheduleHandler {
  constructor(private readonly swarms: SwarmsStore) {}

  run(): Promise<void> {
    return this.swarms.askForTurnsWithOpenTasks();
  }
}
