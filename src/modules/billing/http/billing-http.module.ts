import { Module } from '@nestjs/common';
import { BillingModule } from '../billing.module.js';
import { PlansController } from './plans.controller.js';
import { SubscriptionOperationsController } from './subscription-operations.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

@Module({ imports: [BillingModule], controllers: [PlansController, SubscriptionOperationsController, SubscriptionsController] })
export class BillingHttpModule {}
