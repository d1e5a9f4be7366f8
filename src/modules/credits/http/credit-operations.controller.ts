import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { CreditOperationsService } from '../grants/credit-operations.service.js';
import { GrantCreditsBody, GrantedCreditsView } from './credit-operations.dto.js';

@ApiTags('operations')
@Controller('ops/billing/credits')
@RequireOperatorToken('money')
export class CreditOperationsController {
  constructor(private readonly credits: CreditOperationsService) {}

  @Post()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Grants credits to an organization.',
    description:
      'Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set. Safe to repeat: a key ' +
      'grants once. Refuses a key that was used for another organization or amount.',
  })
  @ApiOkResponse({ type: GrantedCreditsView })
  @ApiRefusals(
    ...ANY_OPERATOR,
    ...ANY_BODY,
    ORG_ERRORS.organization_not_found,
    GENERIC_ERRORS.already_exists,
    GENERIC_ERRORS.service_unavailable,
  )
  async grant(@Body() { orgId, input }: GrantCreditsBody): Promise<GrantedCreditsView> {
    return GrantedCreditsView.of(orgId, await this.credits.grant(input));
  }
}
