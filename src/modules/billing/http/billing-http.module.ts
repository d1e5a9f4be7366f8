import { Module } from '@nestjs/common';
import { BillingModule } from '../billing.module.js';
import { InvoiceOperationsController } from './invoice-operations.controller.js';
import { InvoicesController } from './invoices.controller.js';
import { PaymentsController } from './payments.controller.js';
import { PlansController } from './plans.controller.js';
import { StripeWebhookController } from './stripe-webhook.controller.js';
import { SubscriptionOperationsController } from './subscription-operations.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

@Module({
  imports: [BillingModule],
  controllers: [InvoiceOperationsController, InvoicesController, PaymentsController, PlansController, StripeWebhookController, SubscriptionOperationsController, SubscriptionsController],
})
export class BillingHttpModule {}
