import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { WebhookDeliveriesStore } from '../persistence/webhook-deliveries.store.js';
import type { WebhookDelivery, WebhookEndpoint } from '../persistence/webhook-rows.js';
import { WEBHOOK_DELIVERY_ID } from '../webhooks.ids.js';

/** An endpoint that does not keep up gets nothing more until fewer wait. */
const MAX_PENDING = 5_000;

/** The content of a message. */
export interface WebhookMessage {
  readonly id: string;
  readonly orgId: string;
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Adds deliveries, which are sent soon after. */
@Injectable()
export class NewDeliveries {
  constructor(
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Adds a message once for the endpoint. Returns the id, or undefined when too many wait. */
  async add(endpoint: WebhookEndpoint, { id, orgId, type, at, data }: WebhookMessage): Promise<string | undefined> {
    const body = JSON.stringify({ id, type, timestamp: at, org_id: orgId, data });
    return this.insert(endpoint.id, { eventId: id, orgId, type, body, replayOf: null });
  }

  /** Adds the same message again. */
  addReplay({ id, endpointId, eventId, orgId, type, body }: WebhookDelivery): Promise<string | undefined> {
    return this.insert(endpointId, { eventId, orgId, type, body, replayOf: id });
  }

  private async insert(
    endpointId: string,
    facts: Pick<WebhookDelivery, 'eventId' | 'orgId' | 'type' | 'body' | 'replayOf'>,
  ): Promise<string | undefined> {
    if ((await this.deliveries.pendingOf(endpointId, MAX_PENDING)) >= MAX_PENDING) {
      this.log.warn({ endpointId, eventId: facts.eventId }, 'A webhook was dropped, because too many wait.');
      return undefined;
    }
    const id = this.ids.next(WEBHOOK_DELIVERY_ID);
    await this.deliveries.insert({ id, endpointId, createdAt: this.clock.now(), ...facts });
    return id;
  }
}
