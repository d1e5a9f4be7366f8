import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { MeteringModule } from '../../metering/metering.module.js';
import { BillingModule } from '../billing.module.js';
import { BillingPersistenceModule } from '../persistence/billing-persistence.module.js';
import { BilledMonthsSource } from './billed-months-source.js';
import { InvoiceMirrorProcessor } from './invoice-mirror.processor.js';
import { MonthClosingTimer } from './month-closing.timer.js';
import { OverdueInvoicesTimer } from './overdue-invoices.timer.js';
import { PaymentEventProcessor } from './payment-event.processor.js';
import { PlannedChangesTimer } from './planned-changes.timer.js';

@Module({
  imports: [BillingModule, BillingPersistenceModule, EventsModule, MeteringModule],
  providers: [
    BilledMonthsSource,
    InvoiceMirrorProcessor,
    MonthClosingTimer,
    OverdueInvoicesTimer,
    PaymentEventProcessor,
    PlannedChangesTimer,
  ],
})
export class BillingJobsModule {}
