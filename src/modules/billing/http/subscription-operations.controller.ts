import { Body, Controller, HttpCode, HttpStatus, Param, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_BODY, ANY_OPERATOR, ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { SubscriptionOperations } from '../operators/subscription-operations.service.js';
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
    summary:
      'Gives an organization a plan at once, at a price that may be agreed on. A pending request is answered by it.',
    description: 'Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.',
  })
  @ApiOkResponse({ type: SetPlanView })
  @ApiRefusals(...ANY_OPERATOR, ...ANY_BODY, 'organization_not_found', 'service_unavailable')
  async set(@Param() { org_id: orgId }: OrgParameter, @Body() body: SetPlanBody): Promise<SetPlanView> {
    return SetPlanView.of(await this.subscriptions.set(body.contract(orgId)));
  }

  @Post(':org_id/refuse')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Refuses the larger plan that an organization has requested.',
    description: 'Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.',
  })
  @ApiOkResponse({ type: PlanRefusedView })
  @ApiRefusals(...ANY_OPERATOR, ...ANY_BODY, 'organization_not_found', 'plan_request_not_found', 'service_unavailable')
  async refuse(@Param() { org_id: orgId }: OrgParameter, @Body() { reason }: RefusePlanBody): Promise<PlanRefusedView> {
    return PlanRefusedView.of(await this.subscriptions.refuse(orgId, reason));
  }
}
