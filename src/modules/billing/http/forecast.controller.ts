import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { budgetHolderOf } from '../../limits/budget-account.js';
import { ForecastService } from '../forecast/forecast.service.js';
import { ForecastAnswer, ForecastView } from './forecast.dto.js';

@ApiTags('billing')
@TakesSession('or_key')
@Controller('api/v1/billing/forecast')
export class ForecastController {
  constructor(private readonly forecast: ForecastService) {}

  @Get()
  @RequireScope('billing:read')
  @ApiOperation({
    summary: 'Returns a forecast of calls and credits.',
    description: 'Shows when calls and credits run out at the current rate, and what costs most.',
  })
  @ApiOkResponse({ type: ForecastAnswer })
  @ApiRefusals(...ANY_CALLER)
  async show(@Caller() { org }: Call, @Req() request: Request): Promise<Envelope<ForecastView>> {
    // The guards set it for every admitted call.
    const { account } = budgetHolderOf(request)!;
    return new Envelope(ForecastView.of(await this.forecast.of(org.id, account)));
  }
}
