import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { PlanRequestPayload } from '../../billing/plan-request.job.js';
import { PlanRequests } from '../../billing/plan-requests.js';
import { AlertIntakeService } from '../alerts/alert-intake.service.js';
import { planRequestSubscription } from './ops.job.js';

/**
 * Opens a task for a pending plan request, and resolves it once the request is decided or withdrawn. Safe to run twice.
 */
@Injectable()
@Handles(planRequestSubscription)
export class PlanRequestProcessor implements JobHandler<PlanRequestPayload> {
  constructor(
    private readonly requests: PlanRequests,
    private readonly alerts: AlertIntakeService,
    private readonly clock: Clock,
  ) {}

  async handle({ orgId }: PlanRequestPayload): Promise<void> {
    const request = await this.requests.find(orgId);
    const about = {
      dedupKey: `plan-request ${orgId}`,
      title: `Plan request of ${orgId}`,
      runbookTag: 'plan_request',
      severity: 'info',
      source: 'billing',
    };
    await this.alerts.take(
      request === undefined
        ? { ...about, status: 'resolved', endsAt: this.clock.now().toISOString() }
        : {
            ...about,
            description: `${orgId} requests the plan ${request.plan}.`,
            labels: { orgId, plan: request.plan },
            startsAt: request.requestedAt.toISOString(),
          },
    );
  }
}
