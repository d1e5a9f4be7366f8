import { Module } from '@nestjs/common';
import { ClosedPeriodsStore } from './closed-periods.store.js';
import { InvoicesStore } from './invoices.store.js';
import { PaymentsStore } from './payments.store.js';
import { PlanRequestsStore } from './plan-requests.store.js';
import { SubscriptionsStore } from './subscriptions.store.js';

const STORES = [ClosedPeriodsStore, InvoicesStore, PaymentsStore, PlanRequestsStore, SubscriptionsStore];

@Module({ providers: STORES, exports: STORES })
export class BillingPersistenceModule {}
