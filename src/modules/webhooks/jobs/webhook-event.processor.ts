import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgEventPayload } from '../../events/org-event.job.js';
import { NewDeliveries } from '../deliveries/new-deliveries.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { webhookEventSubscription } from './webhooks.job.js';

@Injectable()
@Handles(webhookEventSubscription)
export class WebhookEventProcessor implements JobHandler<OrgEventPayload> {
  constructor(
    private readonly endpoints: WebhookEndpointsStore,
    private readonly additions: NewDeliveries,
  ) {}

  async handle(event: OrgEventPayload): Promise<void> {
    for (const endpoint of await this.endpoints.wanting(event.orgId, event.type))
      await this.additions.add(endpoint, event);
  }
}
