import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  IssuedWebhookEndpoint,
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChange,
} from './types.js';

/** Webhook endpoints of an organization, and what was sent to them. Needs `orgs:write`. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates an endpoint and returns its secret once, for {@link verifyWebhook}. */
  create(orgId: string, endpoint: NewWebhookEndpoint, options?: RequestOptions): Promise<IssuedWebhookEndpoint> {
    return this.#transport.post(pathOf(orgId), endpoint, options);
  }

  list(orgId: string, query?: ListQuery, options?: RequestOptions): Listing<WebhookEndpoint> {
    return this.#transport.list(pathOf(orgId), query, options);
  }

  /** @throws {NotFoundError} `webhook_endpoint_not_found`. */
  get(orgId: string, endpointId: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.#transport.get(pathOf(orgId, endpointId), options);
  }

  update(
    orgId: string,
    endpointId: string,
    change: WebhookEndpointChange,
    options?: RequestOptions,
  ): Promise<WebhookEndpoint> {
    return this.#transport.patch(pathOf(orgId, endpointId), change, options);
  }

  delete(orgId: string, endpointId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(orgId, endpointId), options);
  }

  /** Returns a new secret once. Messages are signed with both for `grace_seconds`, a day by default. */
  rotateSecret(
    orgId: string,
    endpointId: string,
    rotation: { readonly grace_seconds?: number } = {},
    options?: RequestOptions,
  ): Promise<IssuedWebhookEndpoint> {
    return this.#transport.post(`${pathOf(orgId, endpointId)}/rotate-secret`, rotation, options);
  }

  /** Sends a message of the type `webhook_endpoint.test`. @throws {ConflictError} `webhook_endpoint_paused`. */
  test(orgId: string, endpointId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.post(`${pathOf(orgId, endpointId)}/test`, undefined, options);
  }

  /** Lists the deliveries of the last 7 days, newest first. */
  deliveries(orgId: string, endpointId: string, query?: ListQuery, options?: RequestOptions): Listing<WebhookDelivery> {
    return this.#transport.list(`${pathOf(orgId, endpointId)}/deliveries`, query, options);
  }

  /** @throws {NotFoundError} `webhook_delivery_not_found`. */
  delivery(orgId: string, endpointId: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.get(deliveryPathOf(orgId, endpointId, deliveryId), options);
  }

  /** Sends the same message again, with the same id. @throws {ConflictError} `webhook_endpoint_paused`. */
  replay(orgId: string, endpointId: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.post(`${deliveryPathOf(orgId, endpointId, deliveryId)}/replay`, undefined, options);
  }
}

function pathOf(orgId: string, endpointId?: string): string {
  const path = `/api/v1/orgs/${encodeURIComponent(orgId)}/webhook-endpoints`;
  return endpointId === undefined ? path : `${path}/${encodeURIComponent(endpointId)}`;
}

const deliveryPathOf = (orgId: string, endpointId: string, deliveryId: string): string =>
  `${pathOf(orgId, endpointId)}/deliveries/${encodeURIComponent(deliveryId)}`;
