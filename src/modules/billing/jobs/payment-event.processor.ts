import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/queues/queue-definition.js';
import type { PaymentEventJob } from '../payments/payment.queues.js';
import { PaymentEvents } from '../payments/payment-events.service.js';

@Injectable()
export class PaymentEventProcessor implements JobHandler<PaymentEventJob> {
  constructor(private readonly events: PaymentEvents) {}

  handle({ eventId }: PaymentEventJob): Promise<void> {
    return this.events.process(eventId);
  }
}
