import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { BillingModule } from '../billing.module.js';
import { invoiceMirrorJob, paymentEventJob } from '../payments/payments.job.js';
import { InvoiceMirrorProcessor } from './invoice-mirror.processor.js';
import { MonthClosingTimer } from './month-closing.timer.js';
import { PaymentEventProcessor } from './payment-event.processor.js';
import { PlannedChangesTimer } from './planned-changes.timer.js';

@Module({ imports: [BillingModule], providers: [InvoiceMirrorProcessor, MonthClosingTimer, PaymentEventProcessor, PlannedChangesTimer] })
export class BillingJobsModule implements OnApplicationBootstrap {
  constructor(
    private readonly workers: QueueWorkers,
    private readonly events: PaymentEventProcessor,
    private readonly mirrors: InvoiceMirrorProcessor,
  ) {}

  onApplicationBootstrap(): void {
    this.workers.start(paymentEventJob, this.events);
    this.workers.start(invoiceMirrorJob, this.mirrors);
  }
}
