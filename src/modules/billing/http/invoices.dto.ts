import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { METER_UNITS, METERS } from '../../metering/meter.js';
import { formatCents } from '../domain/cents.js';
import { documentNumber } from '../invoices/document-number.js';
import { INVOICE_STATES, LINE_KINDS } from '../invoices/invoice-state.js';
import type { CreditNote, Invoice, InvoiceLine, WholeInvoice } from '../invoices/invoices.service.js';
import type { UpcomingInvoice } from '../invoices/upcoming-invoice.js';
import { PLAN_IDS } from '../../plans/plan.js';

/** The states of numbered invoices. */
const STATES = INVOICE_STATES.filter((state) => state !== 'gathering' && state !== 'draft');

class InvoicePeriodView {
  @ApiProperty({ format: 'date-time' }) from!: string;
  @ApiProperty({ format: 'date-time', description: 'End of the period, exclusive.' }) to!: string;
}

export class ListedInvoiceView {
  @ApiProperty({ example: 'ivc_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'INV-000042', description: 'Invoice number. Numbers have no gaps.' }) number!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ enum: STATES }) state!: string;
  @ApiProperty({ type: InvoicePeriodView, description: 'The billed month in UTC.' }) period!: InvoicePeriodView;
  @ApiProperty({ example: 'USD' }) currency!: string;
  @ApiProperty({ example: '51.30', description: 'Total in USD, in whole cents.' }) total!: string;
  @ApiProperty({ format: 'date-time' }) finalized_at!: string;
  @ApiProperty({ format: 'date-time' }) due_at!: string;
  @ApiPropertyOptional({ format: 'date-time' }) paid_at?: string;
  @ApiPropertyOptional({ format: 'date-time' }) voided_at?: string;

  static of({
    id,
    number,
    orgId,
    state,
    periodFrom,
    periodTo,
    totalCents,
    finalizedAt,
    dueAt,
    paidAt,
    voidedAt,
  }: Invoice): ListedInvoiceView {
    return {
      id,
      number: documentNumber('invoice', number!),
      org_id: orgId,
      state,
      period: { from: periodFrom.toISOString(), to: periodTo.toISOString() },
      currency: 'USD',
      total: formatCents(totalCents!),
      finalized_at: finalizedAt!.toISOString(),
      due_at: dueAt!.toISOString(),
      ...(paidAt === null ? {} : { paid_at: paidAt.toISOString() }),
      ...(voidedAt === null ? {} : { voided_at: voidedAt.toISOString() }),
    };
  }
}

class InvoiceLineView {
  @ApiProperty({ enum: LINE_KINDS }) kind!: string;
  @ApiPropertyOptional({ enum: PLAN_IDS, description: 'The plan of a base fee.' }) plan?: string;
  @ApiPropertyOptional({
    enum: METERS,
    description: 'The meter of usage. The next six properties belong to usage too.',
  })
  meter?: string;
  @ApiPropertyOptional({ type: String }) model?: string;
  @ApiPropertyOptional({ type: String, description: 'Quantity in whole units; seconds for a base fee.' })
  quantity?: string;
  @ApiPropertyOptional({ enum: [...METER_UNITS, 's'] }) unit?: string;
  @ApiPropertyOptional({ type: String, example: '0.1' }) price?: string;
  @ApiPropertyOptional({ type: String, example: 'hour', description: 'The quantity that `price` is for.' })
  price_per?: string;
  @ApiPropertyOptional({ type: String, description: 'Id of the version of the price.' }) price_version?: string;
  @ApiProperty({ type: InvoicePeriodView }) period!: InvoicePeriodView;
  @ApiProperty({
    example: '0.000123456',
    description: 'Amount in USD, to the nano-dollar. All lines add up to the total.',
  })
  amount!: string;

  static of({
    kind,
    plan,
    meter,
    model,
    quantity,
    unit,
    priceNano,
    pricedPer,
    priceVersion,
    periodFrom,
    periodTo,
    amountNano,
  }: Omit<InvoiceLine, 'invoiceId' | 'position'>): InvoiceLineView {
    return {
      kind,
      ...(plan === null ? {} : { plan }),
      ...(meter === null ? {} : { meter }),
      ...(model === null ? {} : { model }),
      ...(quantity === null ? {} : { quantity: quantity.toString() }),
      ...(unit === null ? {} : { unit }),
      ...(priceNano === null ? {} : { price: formatUsd(priceNano) }),
      ...(pricedPer === null ? {} : { price_per: pricedPer }),
      ...(priceVersion === null ? {} : { price_version: priceVersion }),
      period: { from: periodFrom.toISOString(), to: periodTo.toISOString() },
      amount: formatUsd(amountNano),
    };
  }
}

class CreditNoteView {
  @ApiProperty({ example: 'crn_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'CN-000003' }) number!: string;
  @ApiProperty({ example: '10.00' }) amount!: string;
  @ApiProperty() reason!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  static of({ id, number, amountCents, reason, createdAt }: CreditNote): CreditNoteView {
    return {
      id,
      number: documentNumber('credit_note', number),
      amount: formatCents(amountCents),
      reason,
      created_at: createdAt.toISOString(),
    };
  }
}

class BillToView {
  @ApiProperty({ example: 'Acme' }) name!: string;
  @ApiProperty({ example: 'acme' }) slug!: string;
}

export class InvoiceView extends ListedInvoiceView {
  @ApiProperty({ type: BillToView, description: 'The organization with its name at that time.' }) bill_to!: BillToView;
  @ApiProperty({
    type: [String],
    example: ['Example Hosting Ltd', '1 Example Street, London'],
    description: 'Lines about the issuer. Empty if the operator has not set any.',
  })
  issuer!: string[];
  @ApiProperty({ type: [InvoiceLineView] }) lines!: InvoiceLineView[];
  @ApiProperty({ type: [CreditNoteView] }) credit_notes!: CreditNoteView[];
  @ApiProperty({ example: '51.30', description: 'Amount still to be paid, after credit notes.' })
  amount_due!: string;

  static ofWhole({ invoice, lines, creditNotes, dueCents }: WholeInvoice): InvoiceView {
    return Object.assign(ListedInvoiceView.of(invoice), {
      bill_to: invoice.billTo,
      issuer: [...invoice.issuer],
      lines: lines.map((line) => InvoiceLineView.of(line)),
      credit_notes: creditNotes.map((note) => CreditNoteView.of(note)),
      amount_due: formatCents(dueCents),
    });
  }
}

export class UpcomingInvoiceView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ type: InvoicePeriodView, description: 'The current month in UTC.' }) period!: InvoicePeriodView;
  @ApiProperty({ format: 'date-time', description: 'Time of the preview. Later usage and changes are not included.' })
  as_of!: string;
  @ApiProperty({ example: 'USD' }) currency!: string;
  @ApiProperty({ type: [InvoiceLineView] }) lines!: InvoiceLineView[];
  @ApiProperty({ example: '51.30', description: 'Total in USD, in whole cents.' }) total!: string;

  static ofUpcoming({ orgId, period: { from, to }, asOf, lines, totalCents }: UpcomingInvoice): UpcomingInvoiceView {
    return {
      org_id: orgId,
      period: { from: from.toISOString(), to: to.toISOString() },
      as_of: asOf.toISOString(),
      currency: 'USD',
      lines: lines.map((line) => InvoiceLineView.of(line)),
      total: formatCents(totalCents),
    };
  }
}

export class UpcomingInvoiceAnswer {
  @ApiProperty({ type: UpcomingInvoiceView }) data!: UpcomingInvoiceView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class InvoiceAnswer {
  @ApiProperty({ type: InvoiceView }) data!: InvoiceView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class InvoicePageAnswer {
  @ApiProperty({ type: [ListedInvoiceView] }) data!: ListedInvoiceView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
