import { Module } from '@nestjs/common';
import { WebhooksModule } from '../webhooks.module.js';
import { ExportedWebhookEndpoints } from './exported-webhook-endpoints.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';

@Module({
  imports: [WebhooksModule],
  controllers: [WebhookEndpointsController, WebhookDeliveriesController],
  providers: [ExportedWebhookEndpoints],
})
export class WebhooksHttpModule {}
