import { Module } from '@nestjs/common';
import { BillingModule } from '../billing.module.js';
import { PlannedChangesTimer } from './planned-changes.timer.js';

@Module({ imports: [BillingModule], providers: [PlannedChangesTimer] })
export class BillingJobsModule {}
