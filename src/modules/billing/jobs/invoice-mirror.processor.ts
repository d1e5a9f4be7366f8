import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/queues/queue-definition.js';
import { InvoiceMirror } from '../payments/invoice-mirror.service.js';
import type { InvoiceMirrorJob } from '../payments/payment.queues.js';

@Injectable()
export class InvoiceMirrorProcessor implements JobHandler<InvoiceMirrorJob> {
  constructor(private readonly mirror: InvoiceMirror) {}

  handle({ invoiceId }: InvoiceMirrorJob): Promise<void> {
    return this.mirror.bringUpToDate(invoiceId);
  }
}
