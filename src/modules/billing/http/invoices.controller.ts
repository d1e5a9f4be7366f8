import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { BILLING_ERRORS } from '../billing.errors.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { UpcomingInvoices } from '../invoices/upcoming-invoice.js';
import { INVOICE_PAGE_POLICY, invoicePage } from './invoice-page.js';
import {
  InvoiceAnswer,
  InvoicePageAnswer,
  InvoiceView,
  ListedInvoiceView,
  UpcomingInvoiceAnswer,
  UpcomingInvoiceView,
} from './invoices.dto.js';

@ApiTags('billing')
@TakesSession('or_key')
@Controller('api/v1/billing/invoices')
export class InvoicesController {
  constructor(
    private readonly invoices: InvoicesService,
    private readonly upcomingInvoices: UpcomingInvoices,
  ) {}

  @Get()
  @RequireScope('billing:read')
  @ApiOperation({ summary: 'Lists invoices, the newest first.' })
  @ApiOkResponse({ type: InvoicePageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<ListedInvoiceView[]>> {
    return pageEnvelope(await this.invoices.list(call, query.page), (invoice) => ListedInvoiceView.of(invoice));
  }

  @Get('upcoming')
  @RequireScope('billing:read')
  @ApiOperation({
    summary: 'Returns a preview of the invoice of the current month.',
    description: 'Counts the plan to the end of the month and usage until now.',
  })
  @ApiOkResponse({ type: UpcomingInvoiceAnswer })
  @ApiRefusals(...ANY_CALLER)
  async upcoming(@Caller() { org }: Call): Promise<Envelope<UpcomingInvoiceView>> {
    return new Envelope(UpcomingInvoiceView.ofUpcoming(await this.upcomingInvoices.of(org)));
  }

  @Get(':invoice_id')
  @RequireScope('billing:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an invoice with its lines and credit notes.' })
  @ApiOkResponse({ type: InvoiceAnswer })
  @ApiRefusals(...ANY_CALLER, BILLING_ERRORS.invoice_not_found)
  async get(@Caller() call: Call, @Param('invoice_id') id: string): Promise<Envelope<InvoiceView>> {
    return new Envelope(InvoiceView.ofWhole(await this.invoices.get(call, id)));
  }

  @Get(':invoice_id/page')
  @RequireScope('billing:read', { in: 'resource' })
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', INVOICE_PAGE_POLICY)
  @ApiOperation({ summary: 'Returns an invoice as a printable page.' })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiRefusals(...ANY_CALLER, BILLING_ERRORS.invoice_not_found)
  async page(@Caller() call: Call, @Param('invoice_id') id: string): Promise<string> {
    return invoicePage(await this.invoices.get(call, id));
  }
}
