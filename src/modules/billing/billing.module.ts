import { Module } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { CreditsModule } from '../credits/credits.module.js';
import { MeteringModule } from '../metering/metering.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { BillingSettings } from './billing.settings.js';
import { BILLING_METRICS } from './metrics/billing.metrics.js';
import { DraftInvoice } from './invoices/draft-invoice.js';
import { InvoiceFinalization } from './invoices/invoice-finalization.js';
import { InvoicesService } from './invoices/invoices.service.js';
import { MonthCloseBatch } from './invoices/month-close-batch.js';
import { MonthCloseRun } from './invoices/month-close-run.js';
import { UpcomingInvoices } from './invoices/upcoming-invoice.js';
import { UsageOfMonth } from './invoices/usage-of-month.js';
import { InvoiceOperations } from './operators/invoice-operations.js';
import { SubscriptionOperations } from './operators/subscription-operations.js';
import { InvoiceMirror } from './payments/invoice-mirror.js';
import { ManualPayments } from './payments/manual-payments.js';
import { PaymentEvents } from './payments/payment-events.js';
import { PaymentMethods } from './payments/payment-methods.js';
import { PaymentProvider } from './payments/payment-provider.js';
import { PaymentsService } from './payments/payments.service.js';
import { ClosedPeriodsStore } from './persistence/closed-periods.store.js';
import { InvoicesStore } from './persistence/invoices.store.js';
import { PaymentsStore } from './persistence/payments.store.js';
import { SubscriptionsStore } from './persistence/subscriptions.store.js';
import { PlanRequestsStore } from './persistence/plan-requests.store.js';
import { PlanRequests } from './plan-requests.js';
import { PlanChanges } from './subscriptions/plan-changes.js';
import { PlanRoom } from './subscriptions/plan-room.js';
import { DuePlanChanges } from './subscriptions/due-plan-changes.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';

/** Plans that are chosen, and what is to be paid for them and for usage. */
@Module({
  imports: [CreditsModule, MeteringModule, OrgDirectoryModule, PlansModule],
  providers: [
    ClosedPeriodsStore,
    DraftInvoice,
    InvoiceFinalization,
    InvoiceMirror,
    InvoiceOperations,
    InvoicesService,
    InvoicesStore,
    MonthCloseBatch,
    MonthCloseRun,
    PaymentEvents,
    PaymentMethods,
    PaymentsService,
    PaymentsStore,
    PlanChanges,
    DuePlanChanges,
    PlanRequests,
    PlanRequestsStore,
    PlanRoom,
    SubscriptionOperations,
    SubscriptionsService,
    SubscriptionsStore,
    UpcomingInvoices,
    UsageOfMonth,
    ...BILLING_METRICS,
    {
      provide: PaymentProvider,
      inject: [BillingSettings, Config],
      // The library is loaded where it is used: it takes 5 MB of each process.
      useFactory: async ({ stripe }: BillingSettings, { dashboardUrl }: Config) =>
        stripe === undefined
          ? new ManualPayments()
          : new (await import('./payments/stripe-payments.js')).StripePayments(stripe, dashboardUrl),
    },
  ],
  exports: [
    InvoiceMirror,
    InvoiceOperations,
    InvoicesService,
    InvoicesStore,
    MonthCloseRun,
    PaymentEvents,
    PaymentsService,
    PaymentsStore,
    DuePlanChanges,
    PlanRequests,
    SubscriptionOperations,
    SubscriptionsService,
    UpcomingInvoices,
  ],
})
export class BillingModule {}
