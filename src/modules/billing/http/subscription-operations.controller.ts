import { Body, Controller, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_BODY, ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { RequireOperatorToken } from '../../auth/require-operator-token.js';
import { SubscriptionOperations } from '../operators/subscription-operations.service.js';
import { OrgParameter, SetPlanBody, SetPlanView } from './subscription-operations.dto.js';

@ApiTags('operations')
@Controller('ops/billing/subscriptions')
@RequireOperatorToken('money')
export class SubscriptionOperationsController {
  constructor(private readonly subscriptions: SubscriptionOperations) {}

  @Put(':org_id')
  @TakesJson()
  @ApiOperation({ summary: 'Gives an organization a plan at once, at a price that may be agreed on.', description: 'Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.' })
  @ApiOkResponse({ type: SetPlanView })
  @ApiRefusals('invalid_token', ...ANY_BODY, 'organization_not_found', 'service_unavailable')
  async set(@Param() { org_id: orgId }: OrgParameter, @Body() body: SetPlanBody): Promise<SetPlanView> {
    return SetPlanView.of(await this.subscriptions.set(body.contract(orgId)));
  }
}
