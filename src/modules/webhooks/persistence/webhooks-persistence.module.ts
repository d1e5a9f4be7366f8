import { Module } from '@nestjs/common';
import { WebhookDeliveriesStore } from './webhook-deliveries.store.js';
import { WebhookEndpointsStore } from './webhook-endpoints.store.js';

const STORES = [WebhookDeliveriesStore, WebhookEndpointsStore];

@Module({ providers: STORES, exports: STORES })
export class WebhooksPersistenceModule {}
