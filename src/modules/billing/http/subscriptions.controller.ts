import { Body, Controller, Get, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Clock } from '../../../platform/time/clock.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { periodOf } from '../domain/billing-period.js';
import { BILLING_ERRORS } from '../billing.errors.js';
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
  @ApiOperation({ summary: 'Returns the subscription.' })
  @ApiOkResponse({ type: SubscriptionAnswer })
  @ApiRefusals(...ANY_CALLER)
  async get(@Caller() { org }: Call): Promise<Envelope<SubscriptionView>> {
    return new Envelope(SubscriptionView.of(await this.subscriptions.of(org.id, org.plan), periodOf(this.clock.now())));
  }

  @Post()
  @RequireScope('billing:write')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Changes the plan.',
    description:
      'A larger plan begins at once, a smaller one with the next period. Without a payment provider, a larger plan ' +
      'waits for the operator: the answer is 202 with `pending_change`, and a later change replaces or withdraws ' +
      'the request. Refuses a plan that is too small, and plans by contract.',
  })
  @ApiOkResponse({ type: SubscriptionAnswer })
  @ApiAcceptedResponse({ type: SubscriptionAnswer, description: 'The plan waits for the approval of the operator.' })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, BILLING_ERRORS.plan_too_small, BILLING_ERRORS.plan_by_contract)
  async choose(
    @Caller() call: Call,
    @Body() { plan }: ChoosePlanBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Envelope<SubscriptionView>> {
    const state = await this.subscriptions.choose(call, plan);
    if (state.request !== undefined) response.status(HttpStatus.ACCEPTED);
    return new Envelope(SubscriptionView.of(state, periodOf(this.clock.now())));
  }
}
