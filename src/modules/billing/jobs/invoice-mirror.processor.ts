import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { InvoiceMirror } from '../payments/invoice-mirror.service.js';
import type { InvoiceMirrorPayload } from '../payments/payments.job.js';

@Injectable()
export class InvoiceMirrorProcessor implements JobHandler<InvoiceMirrorPayload> {
  constructor(private readonly mirror: InvoiceMirror) {}

  handle({ invoiceId }: InvoiceMirrorPayload): Promise<void> {
    return this.mirror.bringUpToDate(invoiceId);
  }
}
