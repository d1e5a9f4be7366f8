import { Module } from '@nestjs/common';
import { HostingModule } from '../../hosting/hosting.module.js';
import { CronsModule } from '../crons.module.js';
import { CRON_METRICS } from '../metrics/crons.metrics.js';
import { CronsPersistenceModule } from '../persistence/crons-persistence.module.js';
import { CronCalls } from './cron-calls.js';
import { CronRequests } from './cron-requests.js';
import { CronRunLog } from './cron-run-log.js';
import { CronTicker } from './cron-ticker.js';
import { RequestedCrons } from './requested-crons.js';

@Module({
  imports: [CronsModule, CronsPersistenceModule, HostingModule],
  providers: [...CRON_METRICS, CronCalls, CronRequests, CronRunLog, CronTicker, RequestedCrons],
})
export class CronsJobsModule {}
