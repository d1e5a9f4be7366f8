import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { PreviewBranches } from '../domain/preview-branches.js';
import { unusedBranchesSchedule } from './databases.job.js';

@Injectable()
@Handles(unusedBranchesSchedule)
export class UnusedBranchesSweeper implements ScheduleHandler {
  constructor(private readonly previews: PreviewBranches) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.previews.deleteUnused(stopping);
  }
}
