import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_BODY, ANY_CALLER, ANY_WRITE, ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { type Call, Caller } from '../../auth/caller.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ChangeOrgBody, CreateOrgBody, OrgAnswer, OrgPageAnswer, OrgView } from './orgs.dto.js';

@ApiTags('organizations')
@TakesSession('or_key')
@Controller('api/v1/orgs')
export class OrgsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Get()
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the organizations that the caller belongs to and the key reaches, the oldest first.',
  })
  @ApiOkResponse({ type: OrgPageAnswer })
  @ApiRefusals(...ANY_CALLER, 'invalid_request')
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<OrgView[]>> {
    return pageEnvelope(await this.organizations.list(call, query.wish), (organization) => OrgView.of(organization));
  }

  @Post()
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({ summary: 'Makes an organization, whose owner the caller is.' })
  @ApiCreatedResponse({ type: OrgAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, 'already_exists', 'plan_limit_reached')
  async create(@Caller() call: Call, @Body() body: CreateOrgBody): Promise<Envelope<OrgView>> {
    return new Envelope(OrgView.of(await this.organizations.create(body, call)));
  }

  @Get(':org_id')
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiOperation({ summary: 'Shows an organization, named by id or slug.' })
  @ApiOkResponse({ type: OrgAnswer })
  @ApiRefusals(...ANY_CALLER, 'organization_not_found')
  async get(@Caller() call: Call, @Param('org_id') org: string): Promise<Envelope<OrgView>> {
    return new Envelope(OrgView.of(await this.organizations.get(org, call)));
  }

  @Patch(':org_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({ summary: 'Changes what an organization is called.' })
  @ApiOkResponse({ type: OrgAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, 'organization_not_found', 'already_exists', 'personal_organization')
  async update(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Body() body: ChangeOrgBody,
  ): Promise<Envelope<OrgView>> {
    return new Envelope(OrgView.of(await this.organizations.update(org, body, call)));
  }

  @Delete(':org_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes an organization. Its owners only.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, 'organization_not_found', 'personal_organization')
  async delete(@Caller() call: Call, @Param('org_id') org: string): Promise<void> {
    await this.organizations.delete(org, call);
  }
}
