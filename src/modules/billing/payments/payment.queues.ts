import { IsString } from 'class-validator';
import { defineQueue } from '../../../platform/queues/queue-definition.js';

/** Something has changed at the provider of payments. */
export class PaymentEventJob {
  @IsString() readonly eventId!: string;
}

/** The provider's copy of an invoice is to be brought up to date. */
export class InvoiceMirrorJob {
  @IsString() readonly invoiceId!: string;
}

/** A provider may be away for hours: the last try comes about nine hours after the first. */
const PATIENT = { attempts: 16, backoffMs: 1_000 };

export const paymentEventQueue = defineQueue({ name: 'payment-events', payload: PaymentEventJob, ...PATIENT, concurrency: 2 });
export const invoiceMirrorQueue = defineQueue({ name: 'invoice-mirrors', payload: InvoiceMirrorJob, ...PATIENT, concurrency: 2 });
