import { methodsOf } from './methods.js';
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
export interface Webhooks {
  /** Creates an endpoint and returns its secret once, for {@link verifyWebhook}. */
  create(orgId: string, endpoint: NewWebhookEndpoint, options?: RequestOptions): Promise<IssuedWebhookEndpoint>;

  list(orgId: string, query?: ListQuery, options?: RequestOptions): Listing<WebhookEndpoint>;

  /** @throws {NotFoundError} `webhook_endpoint_not_found`. */
  get(orgId: string, endpointId: string, options?: RequestOptions): Promise<WebhookEndpoint>;

  update(
    orgId: string,
    endpointId: string,
    change: WebhookEndpointChange,
    options?: RequestOptions,
  ): Promise<WebhookEndpoint>;

  delete(orgId: string, endpointId: string, options?: RequestOptions): Promise<void>;

  /** Returns a new secret once. Messages are signed with both for `grace_seconds`, a day by default. */
  rotateSecret(
    orgId: string,
    endpointId: string,
    rotation?: { readonly grace_seconds?: number },
    options?: RequestOptions,
  ): Promise<IssuedWebhookEndpoint>;

  /** Sends a message of the type `webhook_endpoint.test`. @throws {ConflictError} `webhook_endpoint_paused`. */
  test(orgId: string, endpointId: string, options?: RequestOptions): Promise<WebhookDelivery>;

  /** Lists the deliveries of the last 7 days, newest first. */
  deliveries(orgId: string, endpointId: string, query?: ListQuery, options?: RequestOptions): Listing<WebhookDelivery>;

  /** @throws {NotFoundError} `webhook_delivery_not_found`. */
  delivery(orgId: string, endpointId: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery>;

  /** Sends the same message again, with the same id. @throws {ConflictError} `webhook_endpoint_paused`. */
  replay(orgId: string, endpointId: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery>;
}

export const webhooksOf = (transport: Transport): Webhooks =>
  methodsOf<Webhooks>(transport, {
    create: 'post orgs/:/webhook-endpoints',
    list: 'list orgs/:/webhook-endpoints',
    get: 'get orgs/:/webhook-endpoints/:',
    update: 'patch orgs/:/webhook-endpoints/:',
    delete: 'delete orgs/:/webhook-endpoints/:',
    rotateSecret: 'post orgs/:/webhook-endpoints/:/rotate-secret',
    test: 'post orgs/:/webhook-endpoints/:/test -',
    deliveries: 'list orgs/:/webhook-endpoints/:/deliveries',
    delivery: 'get orgs/:/webhook-endpoints/:/deliveries/:',
    replay: 'post orgs/:/webhook-endpoints/:/deliveries/:/replay -',
  });
