import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { OrgDomainVerification } from '../domains/org-domain-verification.js';
import { OrgDomainsService } from '../domains/org-domains.service.js';
import { SSO_ERRORS } from '../sso.errors.js';
import { CreateOrgDomainBody, OrgDomainAnswer, OrgDomainPageAnswer, OrgDomainView } from './org-domains.dto.js';

const RECENT = CREDENTIAL_ERRORS.recent_sign_in_required;
const MISSING = [ORG_ERRORS.organization_not_found, SSO_ERRORS.org_domain_not_found];

@ApiTags('sso')
@TakesSession('only')
@Controller('api/v1/orgs/:org_id/domains')
export class OrgDomainsController {
  constructor(
    private readonly domains: OrgDomainsService,
    private readonly verification: OrgDomainVerification,
  ) {}

  @Get()
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the domains of an organization, newest first.' })
  @ApiOkResponse({ type: OrgDomainPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async list(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<OrgDomainView[]>> {
    return pageEnvelope(await this.domains.list(call, orgIdOrSlug, query.page), (domain) => OrgDomainView.of(domain));
  }

  @Post()
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Adds a domain to an organization.',
    description:
      'The domain is `pending`: set the `record` at your DNS provider, then verify it. Domains of public mail ' +
      'providers are refused, and so are wildcards. Needs a plan that includes SSO.',
  })
  @ApiCreatedResponse({ type: OrgDomainAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    RECENT,
    ORG_ERRORS.organization_not_found,
    GENERIC_ERRORS.already_exists,
    PLAN_ERRORS.feature_not_in_plan,
    SSO_ERRORS.org_domain_limit_reached,
    SSO_ERRORS.domain_taken,
  )
  async add(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Body() { name }: CreateOrgDomainBody,
  ): Promise<Envelope<OrgDomainView>> {
    return new Envelope(OrgDomainView.of(await this.domains.add(call, orgIdOrSlug, name)));
  }

  @Post(':domain_id/verify')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Checks the record of a domain of an organization now.',
    description:
      'Returns the domain with its new status. A verified domain is checked each week as well. Each organization can ' +
      'ask 20 times a minute. Needs a plan that includes SSO.',
  })
  @ApiOkResponse({ type: OrgDomainAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    RECENT,
    ...MISSING,
    PLAN_ERRORS.feature_not_in_plan,
    SSO_ERRORS.domain_taken,
  )
  async verify(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Param('domain_id') id: string,
  ): Promise<Envelope<OrgDomainView>> {
    return new Envelope(OrgDomainView.of(await this.verification.verify(call, orgIdOrSlug, id)));
  }

  @Delete(':domain_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Removes a domain from an organization.',
    description: 'Another organization can verify it then. It needs a new record when it is added again.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT, ...MISSING)
  async remove(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Param('domain_id') id: string,
  ): Promise<void> {
    await this.domains.remove(call, orgIdOrSlug, id);
  }
}
