import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { KEY_ERRORS } from '../../auth/keys.errors.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { BudgetsService } from '../budgets/budgets.service.js';
import { CREDIT_ERRORS } from '../credits.errors.js';
import { BudgetAnswer, BudgetPageAnswer, BudgetView, SetBudgetBody } from './budgets.dto.js';

@ApiTags('billing')
@TakesSession('or_key')
@Controller('api/v1/billing/budgets')
export class BudgetsController {
  constructor(private readonly budgets: BudgetsService) {}

  @Get()
  @RequireScope('billing:read')
  @ApiOperation({ summary: 'Lists the budgets of an organization, newest first.' })
  @ApiOkResponse({ type: BudgetPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<BudgetView[]>> {
    return pageEnvelope(await this.budgets.list(call, query.page), (budget) => BudgetView.of(budget));
  }

  @Get(':subject')
  @RequireScope('billing:read')
  @ApiOperation({ summary: 'Returns a budget, with what its current window has spent.' })
  @ApiOkResponse({ type: BudgetAnswer })
  @ApiRefusals(...ANY_CALLER, CREDIT_ERRORS.budget_not_found)
  async get(@Caller() call: Call, @Param('subject') subject: string): Promise<Envelope<BudgetView>> {
    return new Envelope(BudgetView.of(await this.budgets.get(call, subject)));
  }

  @Put(':subject')
  @RequireScope('billing:write')
  @TakesJson()
  @ApiOperation({
    summary: 'Sets the budget of an API key or a project.',
    description:
      'Limits what the work of the key or the project may cost, effective at once. Work that might exceed it is ' +
      'refused with 402 `budget_exceeded`. What was spent before there was a budget does not count, and ' +
      'another window begins with nothing spent.',
  })
  @ApiOkResponse({ type: BudgetAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, KEY_ERRORS.api_key_not_found, CREDIT_ERRORS.budget_subject_not_found)
  async set(
    @Caller() call: Call,
    @Param('subject') subject: string,
    @Body() { input }: SetBudgetBody,
  ): Promise<Envelope<BudgetView>> {
    return new Envelope(BudgetView.of(await this.budgets.set(call, subject, input)));
  }

  @Delete(':subject')
  @RequireScope('billing:write')
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a budget, so that only the limits of the organization hold.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, CREDIT_ERRORS.budget_not_found)
  delete(@Caller() call: Call, @Param('subject') subject: string): Promise<void> {
    return this.budgets.delete(call, subject);
  }
}
