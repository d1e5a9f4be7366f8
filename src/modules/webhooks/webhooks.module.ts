import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { NewDeliveries } from './deliveries/new-deliveries.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { EndpointAccess } from './endpoints/endpoint-access.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { WebhooksPersistenceModule } from './persistence/webhooks-persistence.module.js';

/** Outbound webhooks. */
@Module({
  imports: [EventsModule, OrgDirectoryModule, WebhooksPersistenceModule],
  providers: [DeliveriesService, EndpointAccess, EndpointSecrets, NewDeliveries, WebhookEndpointsService],
  exports: [DeliveriesService, EndpointSecrets, NewDeliveries, WebhookEndpointsService],
})
export class WebhooksModule {}
