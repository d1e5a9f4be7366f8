import { Body, Controller, HttpCode, HttpStatus, Param, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { BILLING_ERRORS } from '../billing.errors.js';
import { SubscriptionOperations } from '../operators/subscription-operations.js';
import {
  OrgParameter,
  PlanRefusedView,
  RefusePlanBody,
  SetPlanBody,
  SetPlanView,
} from './subscription-operations.dto.js';

@ApiTags('operations')
@Controller('ops/billing/subscriptions')
@RequireOperatorToken('money')
export class SubscriptionOperationsController {
  constructor(private readonly subscriptions: SubscriptionOperations) {}

  @Put(':org_id')
  @TakesJson()
  @ApiOperation({
    summary: 'Sets the plan of an organization.',
    description:
      'Sets any plan at once, at the list price or an agreed one, and settles a pending request. ' +
      'Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.',
  })
  @ApiOkResponse({ type: SetPlanView })
  @ApiRefusals(...ANY_OPERATOR, ...ANY_BODY, ORG_ERRORS.organization_not_found, GENERIC_ERRORS.service_unavailable)
  async set(@Param() { org_id: orgId }: OrgParameter, @Body() body: SetPlanBody): Promise<SetPlanView> {
    return SetPlanView.of(await this.subscriptions.set(body.contract(orgId)));
  }

  @Post(':org_id/refuse')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Refuses the plan that an organization requested.',
    description: 'Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.',
  })
  @ApiOkResponse({ type: PlanRefusedView })
  @ApiRefusals(
    ...ANY_OPERATOR,
    ...ANY_BODY,
    ORG_ERRORS.organization_not_found,
    BILLING_ERRORS.plan_request_not_found,
    GENERIC_ERRORS.service_unavailable,
  )
  async refuse(@Param() { org_id: orgId }: OrgParameter, @Body() { reason }: RefusePlanBody): Promise<PlanRefusedView> {
    return PlanRefusedView.of(await this.subscriptions.refuse(orgId, reason));
  }
}
