import { Module } from '@nestjs/common';
import { MeteringModule } from '../../metering/metering.module.js';
import { BillingModule } from '../billing.module.js';
import { InvoiceOperationsController } from './invoice-operations.controller.js';
import { InvoicesController } from './invoices.controller.js';
import { PaymentsController } from './payments.controller.js';
import { PlansController } from './plans.controller.js';
import { PricesController } from './prices.controller.js';
import { StripeWebhookController } from './stripe-webhook.controller.js';
import { SubscriptionOperationsController } from './subscription-operations.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

@Module({
  imports: [BillingModule, MeteringModule],
  controllers: [InvoiceOperationsController, InvoicesController, PaymentsController, PlansController, PricesController, StripeWebhookController, SubscriptionOperationsController, SubscriptionsController],
})
export class BillingHttpModule {}
