import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { WebhookEndpointsService } from '../endpoints/webhook-endpoints.service.js';
import { WebhookEndpointView } from './webhooks.dto.js';

/** The webhook endpoints of the personal organization, without their secrets and deliveries. */
@Injectable()
@ExportedAs('webhook_endpoint')
export class ExportedWebhookEndpoints implements PersonalDataSource {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  async *read(call: Call): AsyncIterable<WebhookEndpointView[]> {
    for await (const endpoints of allPages((page) => this.endpoints.list(call, call.org.id, page)))
      yield endpoints.map((endpoint) => WebhookEndpointView.of(endpoint));
  }
}
