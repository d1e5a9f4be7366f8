import { Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { AgentVersionsService } from '../agent-versions.service.js';
import { AGENT_ERRORS } from '../agents.errors.js';
import { AgentAnswer, AgentView } from './agents.dto.js';
import { AgentVersionAnswer, AgentVersionPageAnswer, AgentVersionView, VersionsQuery } from './agent-versions.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents/:agent_id/versions')
export class AgentVersionsController {
  constructor(private readonly versions: AgentVersionsService) {}

  @Get()
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the versions of an agent, newest first.' })
  @ApiOkResponse({ type: AgentVersionPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, AGENT_ERRORS.agent_not_found)
  async list(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Query() query: VersionsQuery,
  ): Promise<Envelope<AgentVersionView[]>> {
    const page = await this.versions.list(call, idOrSlug, query.page);
    return pageEnvelope(page, (version) => AgentVersionView.of(version));
  }

  @Get(':version_number')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a version of an agent. Versions never change.' })
  @ApiOkResponse({ type: AgentVersionAnswer })
  @ApiRefusals(...ANY_CALLER, AGENT_ERRORS.agent_not_found, AGENT_ERRORS.agent_version_not_found)
  async get(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('version_number') number: string,
  ): Promise<Envelope<AgentVersionView>> {
    return new Envelope(AgentVersionView.of(await this.versions.get(call, idOrSlug, number)));
  }

  @Post(':version_number/promote')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Makes a version live, so that new runs use it. An older version takes an agent back.',
    description: 'Runs that have started keep their version.',
  })
  @ApiOkResponse({ type: AgentAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, AGENT_ERRORS.agent_not_found, AGENT_ERRORS.agent_version_not_found)
  async promote(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('version_number') number: string,
  ): Promise<Envelope<AgentView>> {
    return new Envelope(AgentView.of(await this.versions.promote(call, idOrSlug, number)));
  }
}
