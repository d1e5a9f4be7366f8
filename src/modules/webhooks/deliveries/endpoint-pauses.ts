import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { OrgEvents } from '../../events/org-events.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { webhookNoticeJob } from '../jobs/webhook-notice.job.js';
import { WebhookDeliveriesStore } from '../persistence/webhook-deliveries.store.js';
import type { PauseReason, WebhookEndpoint } from '../persistence/webhook-rows.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';

/** Pauses endpoints that do not answer, and tells the owners of the organization. */
@Injectable()
export class EndpointPauses {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsStore,
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly events: OrgEvents,
    private readonly orgs: OrgDirectory,
    private readonly outbox: Outbox,
  ) {}

  /** It has no effect on an endpoint that is paused already. */
  async pause({ id, orgId, url }: WebhookEndpoint, reason: PauseReason, now: Date): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.endpoints.pause(id, reason, now))) return;
      await this.deliveries.failPending(id);
      const details = { host: new URL(url).host, reason };
      const target = { type: 'webhook_endpoint', id };
      await this.orgs.record({ orgId, action: 'webhook_endpoint.paused', target, details }, undefined);
      await this.events.publish({
        orgId,
        type: 'webhook_endpoint.paused',
        data: { webhook_endpoint_id: id, reason },
      });
      await this.outbox.enqueue(webhookNoticeJob, { orgId, endpointId: id });
    });
  }
}
