import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { CreditBalanceService } from '../credit-balance.service.js';
import { SpendCapsService } from '../spend-caps/spend-caps.service.js';
import { CreditsAnswer, CreditsView, SpendCapAnswer, SpendCapBody, SpendCapView } from './credits.dto.js';

@ApiTags('billing')
@TakesSession('or_key')
@Controller('api/v1/billing')
export class CreditsController {
  constructor(
    private readonly balance: CreditBalanceService,
    private readonly caps: SpendCapsService,
  ) {}

  @Get('credits')
  @RequireScope('billing:read')
  @ApiOperation({
    summary: 'Returns the credit balance.',
    description: 'Shows what is left, what is held for running work, and the grants that it comes from.',
  })
  @ApiOkResponse({ type: CreditsAnswer })
  @ApiRefusals(...ANY_CALLER)
  async credits(@Caller() { org }: Call): Promise<Envelope<CreditsView>> {
    return new Envelope(CreditsView.of(await this.balance.of(org.id)));
  }

  @Get('spend-cap')
  @RequireScope('billing:read')
  @ApiOperation({
    summary: 'Returns the monthly spend cap.',
    description: 'Shows the cap on billed usage for the month, and what is billed so far.',
  })
  @ApiOkResponse({ type: SpendCapAnswer })
  @ApiRefusals(...ANY_CALLER)
  async spendCap(@Caller() { org }: Call): Promise<Envelope<SpendCapView>> {
    return new Envelope(SpendCapView.of(await this.caps.of(org.id)));
  }

  @Put('spend-cap')
  @RequireScope('billing:write')
  @TakesJson()
  @ApiOperation({
    summary: 'Sets the monthly spend cap.',
    description:
      'Limits what usage beyond the credits may cost in a month, effective at once. Work that might exceed the ' +
      'cap is refused with 402 `spend_cap_reached`. Owners are emailed at 50, 80 and 100 %.',
  })
  @ApiOkResponse({ type: SpendCapAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY)
  async setSpendCap(@Caller() call: Call, @Body() { capNano }: SpendCapBody): Promise<Envelope<SpendCapView>> {
    return new Envelope(SpendCapView.of(await this.caps.set(call, capNano)));
  }
}
