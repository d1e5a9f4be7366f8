import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import { Clock } from '../../../platform/time/clock.js';
import { type Plan } from '../../plans/plan.js';
import { ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { SandboxConcurrencyLimitExceeded } from '../sandbox.errors.js';

const NAME = 'sandbox';
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits how many executions of an organization are active at the same time, queued ones included. Each occupies a slot
 * until it ends.
 */
@Injectable()
export class OrgSlots {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly concurrency: ConcurrencyLimitService,
    private readonly clock: Clock,
  ) {}

  /** @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded` */
  async take(orgId: string, executionId: string, plan: Plan, lifetimeMs: number): Promise<void> {
    const places = plan.sandbox.concurrency;
    if (await this.concurrency.take({ name: NAME, places, lifetimeMs }, orgId, executionId)) return;
    throw new SandboxConcurrencyLimitExceeded('organization', {
      policy: 'sandbox_concurrency',
      limit: places,
      remaining: 0,
      resetsAt: new Date(this.clock.now().getTime() + RETRY_AFTER_SECONDS * 1_000),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      upgradeUrl: this.planSettings.pricingUrl,
    });
  }

  /** Safe to repeat. It never throws, because a slot also expires by itself. */
  async free(orgId: string, executionId: string): Promise<void> {
    await this.concurrency.end({ name: NAME }, orgId, executionId);
  }
}
