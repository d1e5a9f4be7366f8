import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { DomainVerification } from '../claims/domain-verification.js';
import { DomainsService } from '../claims/domains.service.js';
import { DOMAIN_ERRORS } from '../domains.errors.js';
import { DomainViews } from './domain-views.js';
import { ChangeDomainBody, CreateDomainBody, DomainAnswer, DomainPageAnswer, type DomainView } from './domains.dto.js';

@ApiTags('domains')
@Controller('api/v1/projects/:project_id/domains')
export class ProjectDomainsController {
  constructor(
    private readonly domains: DomainsService,
    private readonly verification: DomainVerification,
    private readonly views: DomainViews,
  ) {}

  @Post()
  @RequireScope('projects:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Adds a domain to a project.',
    description:
      'The domain is `pending`: set the `records` at your DNS provider, then verify it. Several organizations may ' +
      'have added a name, but only the one that proves it holds it. Wildcards need a plan that includes them.',
  })
  @ApiCreatedResponse({ type: DomainAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    PROJECT_ERRORS.project_not_found,
    GENERIC_ERRORS.already_exists,
    PLAN_ERRORS.feature_not_in_plan,
    DOMAIN_ERRORS.domain_limit_reached,
  )
  async create(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { input }: CreateDomainBody,
  ): Promise<Envelope<DomainView>> {
    return new Envelope(this.views.of(await this.domains.create(call, projectIdOrSlug, input)));
  }

  @Get()
  @RequireScope('projects:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the domains of a project, newest first.' })
  @ApiOkResponse({ type: DomainPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, PROJECT_ERRORS.project_not_found)
  async list(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<DomainView[]>> {
    return pageEnvelope(await this.domains.list(call, projectIdOrSlug, query.page), (domain) => this.views.of(domain));
  }

  @Get(':domain')
  @RequireScope('projects:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a domain of a project by its id, or by its name in any spelling.' })
  @ApiOkResponse({ type: DomainAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found, DOMAIN_ERRORS.domain_not_found)
  async get(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('domain') idOrName: string,
  ): Promise<Envelope<DomainView>> {
    return new Envelope(this.views.of(await this.domains.get(call, projectIdOrSlug, idOrName, 'projects:read')));
  }

  @Post(':domain/verify')
  @RequireScope('projects:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Checks the records of a domain now.',
    description:
      'Returns the domain with what was found. Domains are checked automatically as well; see `next_check_at`. Each ' +
      'organization can ask 20 times a minute.',
  })
  @ApiOkResponse({ type: DomainAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, PROJECT_ERRORS.project_not_found, DOMAIN_ERRORS.domain_not_found)
  async verify(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('domain') idOrName: string,
  ): Promise<Envelope<DomainView>> {
    return new Envelope(this.views.of(await this.verification.verify(call, projectIdOrSlug, idOrName)));
  }

  @Patch(':domain')
  @RequireScope('projects:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Updates the redirects and HSTS of a domain.',
    description: 'Absent fields stay the same. Redirects to https and HSTS apply behind a proxy of the operator.',
  })
  @ApiOkResponse({ type: DomainAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PROJECT_ERRORS.project_not_found, DOMAIN_ERRORS.domain_not_found)
  async change(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('domain') idOrName: string,
    @Body() { choices }: ChangeDomainBody,
  ): Promise<Envelope<DomainView>> {
    return new Envelope(this.views.of(await this.domains.change(call, projectIdOrSlug, idOrName, choices)));
  }

  @Delete(':domain')
  @RequireScope('projects:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Removes a domain from a project.',
    description: 'It is no longer served at once, and needs a new proof when it is added again.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    PROJECT_ERRORS.project_not_found,
    DOMAIN_ERRORS.domain_not_found,
    DOMAIN_ERRORS.domain_in_use,
  )
  async remove(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('domain') idOrName: string,
  ): Promise<void> {
    await this.domains.remove(call, projectIdOrSlug, idOrName);
  }
}
