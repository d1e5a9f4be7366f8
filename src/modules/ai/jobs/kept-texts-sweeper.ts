import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { ContentsRemoval } from '../retention/contents-removal.js';
import { keptTextsSchedule } from './ai.job.js';

@Injectable()
@Handles(keptTextsSchedule)
export class KeptTextsSweeper implements ScheduleHandler {
  constructor(private readonly removal: ContentsRemoval) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.removal.removeExpired(stopping);
  }
}
