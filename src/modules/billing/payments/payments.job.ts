import { IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';

/** Something changed at the payment provider. */
export class PaymentEventPayload {
  @IsString() readonly eventId!: string;
}

/** The provider's copy of an invoice needs an update. */
export class InvoiceMirrorPayload {
  @IsString() readonly invoiceId!: string;
}

/** A provider may be unavailable for hours: the last attempt comes about nine hours after the first. */
const PATIENT = { attempts: 16, backoffMs: 1_000 };

export const paymentEventJob = defineJob({
  name: 'payment-events',
  summary: 'Applies an event of the payment provider.',
  payload: PaymentEventPayload,
  ...PATIENT,
  concurrency: 2,
});
export const invoiceMirrorJob = defineJob({
  name: 'invoice-mirrors',
  summary: "Updates the payment provider's copy of an invoice.",
  payload: InvoiceMirrorPayload,
  ...PATIENT,
  concurrency: 2,
});
