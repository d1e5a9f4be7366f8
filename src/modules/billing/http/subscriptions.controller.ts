import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_BODY, ANY_CALLER, ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Clock } from '../../../platform/time/clock.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { periodOf } from '../billing-period.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { ChoosePlanBody, SubscriptionAnswer, SubscriptionView } from './subscriptions.dto.js';

@ApiTags('billing')
@TakesSession('or_key')
@Controller('api/v1/billing/subscription')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('billing:read')
  @ApiOperation({ summary: 'Shows the plan of the organization of the call, what it costs, and what is planned.' })
  @ApiOkResponse({ type: SubscriptionAnswer })
  @ApiRefusals(...ANY_CALLER)
  async get(@Caller() { org }: Call): Promise<Envelope<SubscriptionView>> {
    return new Envelope(SubscriptionView.of(await this.subscriptions.of(org.id, org.plan), periodOf(this.clock.now())));
  }

  @Post()
  @RequireScope('billing:write')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Chooses a plan for the organization of the call: a larger one at once, a smaller one from the next period on.' })
  @ApiOkResponse({ type: SubscriptionAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, 'plan_too_small', 'plan_by_contract')
  async choose(@Caller() call: Call, @Body() { plan }: ChoosePlanBody): Promise<Envelope<SubscriptionView>> {
    return new Envelope(SubscriptionView.of(await this.subscriptions.choose(call, plan), periodOf(this.clock.now())));
  }
}
