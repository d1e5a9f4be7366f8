import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgPlanChangedPayload } from '../../orgs/org-plan-changed.job.js';
import { ConnectionsOfOrg } from '../connections/connections-of-org.js';
import { ssoPlanChangedSubscription } from './sso.job.js';

@Injectable()
@Handles(ssoPlanChangedSubscription)
export class SsoPlanChangedProcessor implements JobHandler<OrgPlanChangedPayload> {
  constructor(private readonly connections: ConnectionsOfOrg) {}

  async handle({ orgId }: OrgPlanChangedPayload): Promise<void> {
    await this.connections.followPlan(orgId);
  }
}
