import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { PaymentEventPayload } from '../payments/payments.job.js';
import { PaymentEvents } from '../payments/payment-events.js';
import { paymentEventJob } from '../payments/payments.job.js';

@Injectable()
@Handles(paymentEventJob)
export class PaymentEventProcessor implements JobHandler<PaymentEventPayload> {
  constructor(private readonly events: PaymentEvents) {}

  handle({ eventId }: PaymentEventPayload): Promise<void> {
    return this.events.process(eventId);
  }
}
