import { Module } from '@nestjs/common';
import { ExportedInvoices } from './exported-invoices.js';
import { CreditsModule } from '../../credits/credits.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { MeteringModule } from '../../metering/metering.module.js';
import { BillingModule } from '../billing.module.js';
import { ForecastService } from '../forecast/forecast.service.js';
import { ForecastController } from './forecast.controller.js';
import { InvoiceOperationsController } from './invoice-operations.controller.js';
import { InvoicesController } from './invoices.controller.js';
import { OrganizationAccountsController } from './organization-accounts.controller.js';
import { PaymentsController } from './payments.controller.js';
import { PlansController } from './plans.controller.js';
import { PricesController } from './prices.controller.js';
import { StripeWebhookController } from './stripe-webhook.controller.js';
import { SubscriptionOperationsController } from './subscription-operations.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

@Module({
  imports: [BillingModule, CreditsModule, LimitsModule, MeteringModule],
  controllers: [
    ForecastController,
    InvoiceOperationsController,
    InvoicesController,
    OrganizationAccountsController,
    PaymentsController,
    PlansController,
    PricesController,
    StripeWebhookController,
    SubscriptionOperationsController,
    SubscriptionsController,
  ],
  providers: [ExportedInvoices, ForecastService],
})
export class BillingHttpModule {}
