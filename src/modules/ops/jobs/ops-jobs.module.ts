import { Module } from '@nestjs/common';
import { BillingModule } from '../../billing/billing.module.js';
import { OpsModule } from '../ops.module.js';
import { ExpiredClaimsSweeper } from './expired-claims.sweeper.js';
import { PlanRequestProcessor } from './plan-request.processor.js';

@Module({ imports: [BillingModule, OpsModule], providers: [ExpiredClaimsSweeper, PlanRequestProcessor] })
export class OpsJobsModule {}
