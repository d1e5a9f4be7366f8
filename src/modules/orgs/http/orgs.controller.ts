import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { type OrganizationChange, OrganizationsService } from '../organizations/organizations.service.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { ORG_ERRORS } from '../orgs.errors.js';
import { ChangeOrgBody, CreateOrgBody, OrgAnswer, OrgPageAnswer, OrgView } from './orgs.dto.js';

@ApiTags('organizations')
@TakesSession('or_key')
@Controller('api/v1/orgs')
export class OrgsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Get()
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists organizations, oldest first.',
    description: 'Returns the organizations that the caller is a member of and the key has access to.',
  })
  @ApiOkResponse({ type: OrgPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<OrgView[]>> {
    return pageEnvelope(await this.organizations.list(call, query.page), (organization) => OrgView.of(organization));
  }

  @Post()
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Creates an organization.',
    description:
      'The caller becomes its owner. Keys that are limited to certain organizations are refused. You can own ten ' +
      'organizations on the Free plan, besides your personal one.',
  })
  @ApiCreatedResponse({ type: OrgAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, GENERIC_ERRORS.already_exists, PLAN_ERRORS.plan_limit_reached)
  async create(@Caller() call: Call, @Body() body: CreateOrgBody): Promise<Envelope<OrgView>> {
    return new Envelope(OrgView.of(await this.organizations.create(body, call)));
  }

  @Get(':org_id')
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an organization by its id or slug.' })
  @ApiOkResponse({ type: OrgAnswer })
  @ApiRefusals(...ANY_CALLER, ORG_ERRORS.organization_not_found)
  async get(@Caller() call: Call, @Param('org_id') orgIdOrSlug: string): Promise<Envelope<OrgView>> {
    return new Envelope(OrgView.of(await this.organizations.get(orgIdOrSlug, call)));
  }

  @Patch(':org_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Updates an organization.',
    description:
      'The old slug is free for others at once. A personal organization keeps its slug. With ' +
      '`second_factor_required`, members without a second factor, and their keys, have no access until they have ' +
      'one. `key_lifetime_days` limits keys that are created from now on. Only an owner can change what is said of ' +
      'SSO.',
  })
  @ApiOkResponse({ type: OrgAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    ORG_ERRORS.organization_not_found,
    GENERIC_ERRORS.already_exists,
    ORG_ERRORS.personal_organization,
    ORG_ERRORS.sso_not_active,
    CREDENTIAL_ERRORS.recent_sign_in_required,
  )
  async update(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Body() body: ChangeOrgBody,
  ): Promise<Envelope<OrgView>> {
    return new Envelope(OrgView.of(await this.organizations.update(orgIdOrSlug, changeOf(body), call)));
  }

  @Delete(':org_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes an organization.',
    description: 'Only an owner can delete an organization. A personal organization cannot be deleted.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    ORG_ERRORS.organization_not_found,
    ORG_ERRORS.personal_organization,
    CREDENTIAL_ERRORS.recent_sign_in_required,
  )
  async delete(@Caller() call: Call, @Param('org_id') orgIdOrSlug: string): Promise<void> {
    await this.organizations.delete(orgIdOrSlug, call);
  }
}

const changeOf = ({
  name,
  slug,
  second_factor_required: secondFactorRequired,
  key_lifetime_days: keyLifetimeDays,
  sso_required: isRequired,
  sso_session_hours: sessionHours,
  sso_exempt_owners: exemptOwnerIds,
}: ChangeOrgBody): OrganizationChange => ({
  ...(name === undefined ? {} : { name }),
  ...(slug === undefined ? {} : { slug }),
  ...(secondFactorRequired === undefined ? {} : { secondFactorRequired }),
  ...(keyLifetimeDays === undefined ? {} : { keyLifetimeDays }),
  sso: {
    ...(isRequired === undefined ? {} : { isRequired }),
    ...(sessionHours === undefined ? {} : { sessionHours }),
    ...(exemptOwnerIds === undefined ? {} : { exemptOwnerIds }),
  },
});
