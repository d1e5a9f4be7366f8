import { ApiProperty } from '@nestjs/swagger';
import { IsTitle } from '../../../platform/text/text-fields.js';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import { formatCents, NANO_PER_CENT } from '../domain/cents.js';
import { documentNumber } from '../invoices/document-number.js';
import { INVOICE_STATES, type InvoiceState } from '../invoices/invoice-state.js';
import type { WholeInvoice } from '../invoices/invoices.service.js';
import type { Correction } from '../operators/invoice-operations.js';
import { IsCents } from './cents-field.js';

export class PaidBody {
  @ApiProperty({
    maxLength: 100,
    example: 'Transfer of 3 December',
    description: 'How it was paid, as shown to the organization.',
  })
  @IsTitle()
  readonly payment!: string;
}

export class VoidBody {
  @ApiProperty({
    example: 'Billed twice',
    maxLength: 100,
    description: 'The reason, shown on the credit note.',
  })
  @IsTitle()
  readonly reason!: string;
}

export class CreditNoteBody {
  @ApiProperty({ example: '12.50', description: 'Amount in USD, as a decimal in whole cents.' })
  @IsCents()
  readonly amountUsd!: string;

  @ApiProperty({
    example: 'Downtime on 3 December',
    maxLength: 100,
    description: 'The reason, shown on the credit note.',
  })
  @IsTitle()
  readonly reason!: string;

  @ApiProperty({
    maxLength: 100,
    example: 'ticket-4711',
    description: 'An idempotency key: each key creates one credit note.',
  })
  @IsTitle()
  readonly key!: string;

  get correction(): Correction {
    return { amountCents: parseUsd(this.amountUsd) / NANO_PER_CENT, reason: this.reason, key: `operator ${this.key}` };
  }
}

export class InvoiceStateView {
  @ApiProperty({ example: 'ivc_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'INV-000042' }) number!: string;
  @ApiProperty() orgId!: string;
  @ApiProperty({ enum: INVOICE_STATES }) state!: InvoiceState;
  @ApiProperty({ example: '51.30' }) totalUsd!: string;
  @ApiProperty({ example: '38.80', description: 'Amount still to be paid.' }) dueUsd!: string;
  @ApiProperty({ type: [String], example: ['CN-000003'] }) creditNotes!: string[];

  static of({
    invoice: { id, number, orgId, state, totalCents },
    creditNotes,
    dueCents,
  }: WholeInvoice): InvoiceStateView {
    return {
      id,
      number: documentNumber('invoice', number!),
      orgId,
      state,
      totalUsd: formatCents(totalCents!),
      dueUsd: formatCents(dueCents),
      creditNotes: creditNotes.map((note) => documentNumber('credit_note', note.number)),
    };
  }
}
