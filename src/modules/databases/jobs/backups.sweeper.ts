import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { BackupWorker } from '../backups/backup-worker.js';
import { databaseBackupsSchedule } from './database-backups.job.js';

@Injectable()
@Handles(databaseBackupsSchedule)
export class BackupsSweeper implements ScheduleHandler {
  constructor(private readonly backups: BackupWorker) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.backups.run(stopping);
  }
}
