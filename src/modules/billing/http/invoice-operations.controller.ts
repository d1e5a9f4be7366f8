import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { BILLING_ERRORS } from '../billing.errors.js';
import { InvoiceOperations } from '../operators/invoice-operations.js';
import { CreditNoteBody, InvoiceStateView, PaidBody, VoidBody } from './invoice-operations.dto.js';

const NEEDS = 'Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.';
const ANY_CHANGE = [
  ...ANY_OPERATOR,
  ...ANY_BODY,
  BILLING_ERRORS.invoice_not_found,
  BILLING_ERRORS.invoice_closed,
  GENERIC_ERRORS.service_unavailable,
] as const;

@ApiTags('operations')
@Controller('ops/billing/invoices')
@RequireOperatorToken('money')
export class InvoiceOperationsController {
  constructor(private readonly invoices: InvoiceOperations) {}

  @Post(':invoice_id/paid')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Marks an invoice as paid.', description: NEEDS })
  @ApiOkResponse({ type: InvoiceStateView })
  @ApiRefusals(...ANY_CHANGE)
  async paid(@Param('invoice_id') id: string, @Body() { payment }: PaidBody): Promise<InvoiceStateView> {
    return InvoiceStateView.of(await this.invoices.markPaid(id, { payment, by: 'operator' }));
  }

  @Post(':invoice_id/void')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Voids an unpaid invoice with a credit note for the amount due.',
    description: NEEDS,
  })
  @ApiOkResponse({ type: InvoiceStateView })
  @ApiRefusals(...ANY_CHANGE)
  async void(@Param('invoice_id') id: string, @Body() { reason }: VoidBody): Promise<InvoiceStateView> {
    return InvoiceStateView.of(await this.invoices.void(id, reason));
  }

  @Post(':invoice_id/credit-notes')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Creates a credit note for an invoice.', description: NEEDS })
  @ApiOkResponse({ type: InvoiceStateView })
  @ApiRefusals(...ANY_CHANGE, BILLING_ERRORS.credit_too_large)
  async correct(@Param('invoice_id') id: string, @Body() body: CreditNoteBody): Promise<InvoiceStateView> {
    return InvoiceStateView.of(await this.invoices.correct(id, body.correction));
  }
}
