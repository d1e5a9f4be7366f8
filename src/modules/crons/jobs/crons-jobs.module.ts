import { Module } from '@nestjs/common';
import { HostingModule } from '../../hosting/hosting.module.js';
import { CronsModule } from '../crons.module.js';
import { CronsPersistenceModule } from '../persistence/crons-persistence.module.js';
import { CronCalls } from './cron-calls.js';
import { CronRequests } from './cron-requests.js';
import { CronTicker } from './cron-ticker.js';

@Module({
  imports: [CronsModule, CronsPersistenceModule, HostingModule],
  providers: [CronCalls, CronRequests, CronTicker],
})
export class CronsJobsModule {}
