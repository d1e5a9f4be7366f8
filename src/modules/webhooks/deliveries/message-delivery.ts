import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { nextAttemptAt } from '../domain/retry-times.js';
import { signatureOf } from '../webhook-signature.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import { WebhookDeliveriesStore } from '../persistence/webhook-deliveries.store.js';
import type { WebhookDelivery, WebhookEndpoint } from '../persistence/webhook-rows.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { EndpointPauses } from './endpoint-pauses.js';
import { type SendOutcome, WebhookSender } from './webhook-sender.js';

const GONE = 410;
/** An endpoint that has failed for this long when a delivery is given up is paused. */
const PAUSED_AFTER_MS = 23 * 3_600_000;

const isSuccess = (outcome: SendOutcome): boolean =>
  'status' in outcome && outcome.status >= 200 && outcome.status < 300;

/** Makes one attempt to deliver a message, and records how it ended. */
@Injectable()
export class MessageDelivery {
  constructor(
    private readonly endpoints: WebhookEndpointsStore,
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly secrets: EndpointSecrets,
    private readonly sender: WebhookSender,
    private readonly pauses: EndpointPauses,
    private readonly clock: Clock,
  ) {}

  async run(delivery: WebhookDelivery, stopping: AbortSignal): Promise<void> {
    const endpoint = await this.endpoints.find(delivery.orgId, delivery.endpointId);
    if (endpoint === undefined || endpoint.state === 'paused') return;
    const startedAt = this.clock.now();
    const headers = this.headersOf(endpoint, delivery, startedAt);
    const outcome = await this.sender.send({ url: endpoint.url, headers, body: delivery.body }, stopping);
    // The claim expires, and another process tries again.
    if (stopping.aborted) return;
    await this.record(endpoint, delivery, outcome, startedAt);
  }

  private headersOf(
    endpoint: WebhookEndpoint,
    { eventId, body }: WebhookDelivery,
    now: Date,
  ): Readonly<Record<string, string>> {
    const seconds = Math.floor(now.getTime() / 1_000);
    return {
      'content-type': 'application/json',
      'user-agent': 'service-webhook/1.0',
      'webhook-id': eventId,
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': signatureOf({ id: eventId, seconds, body }, this.secrets.of(endpoint, now)),
    };
  }

  private async record(
    endpoint: WebhookEndpoint,
    delivery: WebhookDelivery,
    outcome: SendOutcome,
    startedAt: Date,
  ): Promise<void> {
    const at = this.clock.now();
    const succeeded = isSuccess(outcome);
    const isGone = 'status' in outcome && outcome.status === GONE;
    const nextAt = succeeded || isGone ? undefined : nextAttemptAt(delivery.attempts, at);
    if (succeeded) await this.endpoints.succeeded(endpoint.id);
    else await this.endpoints.failed(endpoint.id, at);
    await this.deliveries.finish(delivery, {
      state: succeeded ? 'succeeded' : nextAt === undefined ? 'failed' : 'pending',
      status: 'status' in outcome ? outcome.status : null,
      error: 'error' in outcome ? outcome.error : succeeded ? null : 'bad_status',
      excerpt: 'status' in outcome ? outcome.excerpt : null,
      durationMs: at.getTime() - startedAt.getTime(),
      at,
      nextAt: nextAt ?? at,
    });
    if (isGone) await this.pauses.pause(endpoint, 'gone', at);
    else if (!succeeded && nextAt === undefined && hasFailedLong(endpoint, at))
      await this.pauses.pause(endpoint, 'failing', at);
  }
}

const hasFailedLong = ({ failingSince }: WebhookEndpoint, now: Date): boolean =>
  failingSince !== null && now.getTime() - failingSince.getTime() >= PAUSED_AFTER_MS;
