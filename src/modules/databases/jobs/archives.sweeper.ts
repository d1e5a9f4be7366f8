import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { ArchiveLoop } from '../backups/archive-loop.js';
import { databaseArchivesSchedule } from './database-backups.job.js';

@Injectable()
@Handles(databaseArchivesSchedule)
export class ArchivesSweeper implements ScheduleHandler {
  constructor(private readonly archives: ArchiveLoop) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.archives.run(stopping);
  }
}
