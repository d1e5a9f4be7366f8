import { Module } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { OrgRegisterModule } from '../orgs/org-register.module.js';
import { EventsModule } from '../events/events.module.js';
import { CreditsModule } from '../credits/credits.module.js';
import { MeteringModule } from '../metering/metering.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { BillingSettings } from './billing.settings.js';
import { BILLING_METRICS } from './metrics/billing.metrics.js';
import { DraftInvoice } from './invoices/draft-invoice.js';
import { InvoiceFinalization } from './invoices/invoice-finalization.js';
import { InvoicesService } from './invoices/invoices.service.js';
import { MonthCloseBatch } from './invoices/month-close-batch.js';
import { MonthDrafts } from './invoices/month-drafts.js';
import { MonthFreeze } from './invoices/month-freeze.js';
import { MonthCloseRun } from './invoices/month-close-run.js';
import { UpcomingInvoices } from './invoices/upcoming-invoice.js';
import { UsageOfMonth } from './invoices/usage-of-month.js';
import { InvoiceChange } from './operators/invoice-change.js';
import { InvoiceOperations } from './operators/invoice-operations.js';
import { OrganizationAccounts } from './operators/organization-accounts.js';
import { SubscriptionOperations } from './operators/subscription-operations.js';
import { InvoiceMirror } from './payments/invoice-mirror.js';
import { ManualPayments } from './payments/manual-payments.js';
import { PaymentCustomers } from './payments/payment-customers.js';
import { PaymentEvents } from './payments/payment-events.js';
import { PaymentMethods } from './payments/payment-methods.js';
import { PaymentProvider } from './payments/payment-provider.js';
import { PaymentsService } from './payments/payments.service.js';
import { BillingPersistenceModule } from './persistence/billing-persistence.module.js';
import { PlanRequests } from './plan-requests.js';
import { PlanChangeSchedule } from './subscriptions/plan-change-schedule.js';
import { PlanChanges } from './subscriptions/plan-changes.js';
import { PlanRoom } from './subscriptions/plan-room.js';
import { DuePlanChanges } from './subscriptions/due-plan-changes.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';

/** Subscriptions, invoices and payments. */
@Module({
  imports: [
    BillingPersistenceModule,
    CreditsModule,
    EventsModule,
    MeteringModule,
    OrgDirectoryModule,
    OrgRegisterModule,
    PlansModule,
  ],
  providers: [
    DraftInvoice,
    InvoiceChange,
    InvoiceFinalization,
    InvoiceMirror,
    InvoiceOperations,
    InvoicesService,
    MonthCloseBatch,
    MonthCloseRun,
    MonthDrafts,
    MonthFreeze,
    OrganizationAccounts,
    PaymentCustomers,
    PaymentEvents,
    PaymentMethods,
    PaymentsService,
    PlanChangeSchedule,
    PlanChanges,
    DuePlanChanges,
    PlanRequests,
    PlanRoom,
    SubscriptionOperations,
    SubscriptionsService,
    UpcomingInvoices,
    UsageOfMonth,
    ...BILLING_METRICS,
    {
      provide: PaymentProvider,
      inject: [BillingSettings, Config],
      // The library is loaded on demand, because it takes 5 MB of each process.
      useFactory: async ({ stripe }: BillingSettings, { dashboardUrl }: Config) =>
        stripe === undefined
          ? new ManualPayments()
          : new (await import('./payments/stripe-payments.js')).StripePayments(stripe, `${dashboardUrl}/~/billing`),
    },
  ],
  exports: [
    InvoiceMirror,
    InvoiceOperations,
    InvoicesService,
    MonthCloseRun,
    OrganizationAccounts,
    PaymentEvents,
    PaymentsService,
    DuePlanChanges,
    PlanRequests,
    SubscriptionOperations,
    SubscriptionsService,
    UpcomingInvoices,
  ],
})
export class BillingModule {}
