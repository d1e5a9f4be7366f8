import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { ExpiredBackups } from '../backups/expired-backups.js';
import { expiredDatabaseBackupsSchedule } from './database-backups.job.js';

@Injectable()
@Handles(expiredDatabaseBackupsSchedule)
export class ExpiredBackupsSweeper implements ScheduleHandler {
  constructor(private readonly backups: ExpiredBackups) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.backups.delete(stopping);
  }
}
