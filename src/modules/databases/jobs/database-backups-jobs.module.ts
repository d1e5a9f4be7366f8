import { Module } from '@nestjs/common';
import { ExpiredBackupsModule } from '../backups/expired-backups.module.js';
import { ExpiredBackupsSweeper } from './expired-backups.sweeper.js';

@Module({ imports: [ExpiredBackupsModule], providers: [ExpiredBackupsSweeper] })
export class DatabaseBackupsJobsModule {}
