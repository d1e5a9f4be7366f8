import { Module } from '@nestjs/common';
import { HostingPersistenceModule } from '../persistence/hosting-persistence.module.js';
import { AppRecordsSweeper } from './app-records.sweeper.js';

@Module({ imports: [HostingPersistenceModule], providers: [AppRecordsSweeper] })
export class HostingJobsModule {}
