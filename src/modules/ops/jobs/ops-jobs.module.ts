import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { BillingModule } from '../../billing/billing.module.js';
import { planRequestEvent } from '../../billing/plan-request.job.js';
import { OpsModule } from '../ops.module.js';
import { ExpiredClaimsSweeper } from './expired-claims.sweeper.js';
import { PlanRequestProcessor } from './plan-request.processor.js';

@Module({ imports: [BillingModule, OpsModule], providers: [ExpiredClaimsSweeper, PlanRequestProcessor] })
export class OpsJobsModule implements OnApplicationBootstrap {
  constructor(
    private readonly workers: QueueWorkers,
    private readonly requests: PlanRequestProcessor,
  ) {}

  onApplicationBootstrap(): void {
    this.workers.start(planRequestEvent, this.requests);
  }
}
