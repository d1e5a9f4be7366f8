import { Module } from '@nestjs/common';
import { CronRunsStore } from './cron-runs.store.js';
import { CronsStore } from './crons.store.js';

@Module({ providers: [CronRunsStore, CronsStore], exports: [CronRunsStore, CronsStore] })
export class CronsPersistenceModule {}
