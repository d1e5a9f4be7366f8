import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { WebhookEndpointsService } from '../endpoints/webhook-endpoints.service.js';
import { WebhookDeliveriesStore } from '../persistence/webhook-deliveries.store.js';
import type { WebhookDelivery, WebhookEndpoint } from '../persistence/webhook-rows.js';
import { WebhookDeliveryNotFound, WebhookEndpointPaused } from '../webhooks.errors.js';
import { WEBHOOK_DELIVERY_ID } from '../webhooks.ids.js';
import { NewDeliveries } from './new-deliveries.js';

const TEST_TYPE = 'webhook_endpoint.test';

/** The log of what was sent to an endpoint, and messages that are asked for. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly additions: NewDeliveries,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Newest first.
   *
   * @throws {WebhookEndpointNotFound} `webhook_endpoint_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`: `audit:read` is missing for an endpoint of the audit log.
   */
  async list(call: Call, org: string, endpointId: string, page: PageRequest): Promise<Page<WebhookDelivery>> {
    const endpoint = await this.endpoints.getForDeliveries(call, org, endpointId);
    return this.deliveries.list(endpoint.id, page);
  }

  /** @throws {WebhookDeliveryNotFound} `webhook_delivery_not_found`, and as {@link list}. */
  async get(call: Call, org: string, endpointId: string, id: string): Promise<WebhookDelivery> {
    const endpoint = await this.endpoints.getForDeliveries(call, org, endpointId);
    const delivery = await this.deliveries.find(endpoint.id, id);
    if (delivery === undefined) throw new WebhookDeliveryNotFound();
    return delivery;
  }

  /**
   * Sends the same message again, with the same id, as a delivery of its own.
   *
   * @throws {WebhookEndpointPaused} `webhook_endpoint_paused`, and as {@link get}.
   */
  replay(call: Call, org: string, endpointId: string, id: string): Promise<WebhookDelivery> {
    return this.database.transaction(async () => {
      const endpoint = await this.endpoints.getForDeliveries(call, org, endpointId);
      const delivery = await this.get(call, org, endpointId, id);
      return this.added(endpoint, () => this.additions.addReplay(delivery));
    });
  }

  /** Sends a message of the type `webhook_endpoint.test`. @throws as {@link replay}. */
  test(call: Call, org: string, endpointId: string): Promise<WebhookDelivery> {
    return this.database.transaction(async () => {
      const endpoint = await this.endpoints.getForDeliveries(call, org, endpointId);
      const { orgId } = endpoint;
      const at = this.clock.now().toISOString();
      // Its id is that of no event, because nothing has happened.
      const id = this.ids.next(WEBHOOK_DELIVERY_ID);
      const message = { id, orgId, type: TEST_TYPE, at, data: { webhook_endpoint_id: endpoint.id } };
      return this.added(endpoint, () => this.additions.add(endpoint, message));
    });
  }

  private async added(endpoint: WebhookEndpoint, add: () => Promise<string | undefined>): Promise<WebhookDelivery> {
    if (endpoint.state === 'paused') throw new WebhookEndpointPaused();
    const id = await add();
    if (id === undefined) throw new WebhookEndpointPaused();
    const delivery = await this.deliveries.find(endpoint.id, id);
    assert(delivery !== undefined, 'A delivery was not stored.');
    return delivery;
  }
}
