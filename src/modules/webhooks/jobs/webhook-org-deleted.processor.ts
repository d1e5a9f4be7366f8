import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { webhookOrgDeletedSubscription } from './webhooks.job.js';

@Injectable()
@Handles(webhookOrgDeletedSubscription)
export class WebhookOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(private readonly endpoints: WebhookEndpointsStore) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    await this.endpoints.deleteOf(orgId);
  }
}
