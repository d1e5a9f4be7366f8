import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { OrganizationAccounts } from '../operators/organization-accounts.js';
import { OrganizationAccountView, OrganizationsQuery, OrganizationsView } from './organization-accounts.dto.js';
import { OrgParameter } from './subscription-operations.dto.js';

const NEEDS = 'Requires `OPS_TOKEN` as the bearer token and is disabled while that is not set.';

@ApiTags('operations')
@Controller('ops/organizations')
// They move nothing, but not every program on the machine may see the customers and what they owe.
@RequireOperatorToken('money')
export class OrganizationAccountsController {
  constructor(private readonly accounts: OrganizationAccounts) {}

  @Get()
  @ApiOperation({ summary: 'Lists the organizations of the installation, newest first.', description: NEEDS })
  @ApiOkResponse({ type: OrganizationsView })
  @ApiRefusals(...ANY_OPERATOR, GENERIC_ERRORS.invalid_request, GENERIC_ERRORS.service_unavailable)
  async list(@Query() { search, page }: OrganizationsQuery): Promise<OrganizationsView> {
    return OrganizationsView.of(await this.accounts.search(search, page));
  }

  @Get(':org_id')
  @ApiOperation({
    summary: 'Returns an organization with its owners, limits, plan and latest invoices.',
    description: NEEDS,
  })
  @ApiOkResponse({ type: OrganizationAccountView })
  @ApiRefusals(
    ...ANY_OPERATOR,
    GENERIC_ERRORS.invalid_request,
    ORG_ERRORS.organization_not_found,
    GENERIC_ERRORS.service_unavailable,
  )
  async get(@Param() { org_id: orgId }: OrgParameter): Promise<OrganizationAccountView> {
    return OrganizationAccountView.ofAccount(await this.accounts.get(orgId));
  }
}
