import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { InvoiceMirror } from '../payments/invoice-mirror.js';
import type { InvoiceMirrorPayload } from '../payments/payments.job.js';
import { invoiceMirrorJob } from '../payments/payments.job.js';

@Injectable()
@Handles(invoiceMirrorJob)
export class InvoiceMirrorProcessor implements JobHandler<InvoiceMirrorPayload> {
  constructor(private readonly mirror: InvoiceMirror) {}

  handle({ invoiceId }: InvoiceMirrorPayload): Promise<void> {
    return this.mirror.bringUpToDate(invoiceId);
  }
}
