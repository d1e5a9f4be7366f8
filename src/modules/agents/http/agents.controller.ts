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
import { AgentTools } from '../agent-tools.js';
import { AGENT_ERRORS } from '../agents.errors.js';
import { AgentManagementService } from '../registry/agent-management.service.js';
import {
  AgentAnswer,
  AgentPageAnswer,
  AgentToolsAnswer,
  AgentToolView,
  AgentView,
  CreateAgentBody,
  UpdateAgentBody,
} from './agents.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentManagementService,
    private readonly tools: AgentTools,
  ) {}

  @Post()
  @RequireScope('agents:write')
  @TakesJson()
  @ApiOperation({
    summary: 'Creates an agent with its first version.',
    description: 'The fields from `instructions` on are its definition; `instructions` and `models` are required.',
  })
  @ApiCreatedResponse({ type: AgentAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PLAN_ERRORS.plan_limit_reached, GENERIC_ERRORS.already_exists)
  async create(@Caller() call: Call, @Body() { input }: CreateAgentBody): Promise<Envelope<AgentView>> {
    return new Envelope(AgentView.of(await this.agents.create(call, input)));
  }

  @Get()
  @RequireScope('agents:read')
  @ApiOperation({ summary: 'Lists the agents of the organization of the call, newest first.' })
  @ApiOkResponse({ type: AgentPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<AgentView[]>> {
    return pageEnvelope(await this.agents.list(call, query.page), (agent) => AgentView.of(agent));
  }

  @Get('tools')
  @RequireScope('agents:read')
  @ApiOperation({ summary: 'Lists the kinds of tools that agents can use.' })
  @ApiOkResponse({ type: AgentToolsAnswer })
  @ApiRefusals(...ANY_CALLER)
  listTools(): Envelope<AgentToolView[]> {
    return new Envelope(this.tools.list().map((kind) => AgentToolView.of(kind)));
  }

  @Get(':agent_id')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an agent by its id, or by its slug within the organization of the call.' })
  @ApiOkResponse({ type: AgentAnswer })
  @ApiRefusals(...ANY_CALLER, AGENT_ERRORS.agent_not_found)
  async get(@Caller() call: Call, @Param('agent_id') idOrSlug: string): Promise<Envelope<AgentView>> {
    return new Envelope(AgentView.of(await this.agents.get(call, idOrSlug)));
  }

  @Patch(':agent_id')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Updates an agent. Absent fields stay the same.',
    description:
      'A definition that differs from the live version becomes a new version, which is live unless `promote` is ' +
      'false. Runs that have started keep their version. Resuming an agent asks the plan for room.',
  })
  @ApiOkResponse({ type: AgentAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, AGENT_ERRORS.agent_not_found, PLAN_ERRORS.plan_limit_reached)
  async update(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Body() { input }: UpdateAgentBody,
  ): Promise<Envelope<AgentView>> {
    return new Envelope(AgentView.of(await this.agents.update(call, idOrSlug, input)));
  }

  @Delete(':agent_id')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes an agent with its secrets and its memory, and cancels its runs.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, AGENT_ERRORS.agent_not_found)
  async delete(@Caller() call: Call, @Param('agent_id') idOrSlug: string): Promise<void> {
    await this.agents.delete(call, idOrSlug);
  }
}
