import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { AGENT_ERRORS } from '../../agents/agents.errors.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { RUN_ERRORS } from '../../runs/runs.errors.js';
import { SwarmsService } from '../teams/swarms.service.js';
import { SWARM_ERRORS } from '../swarms.errors.js';
import { CreateSwarmBody, SwarmAnswer, SwarmPageAnswer, SwarmsQuery, SwarmView } from './swarms.dto.js';

@ApiTags('swarms')
@Controller('api/v1/swarms')
export class SwarmsController {
  constructor(private readonly swarms: SwarmsService) {}

  @Post()
  @RequireScope('agents:run')
  @TakesJson()
  @ApiOperation({
    summary: 'Creates a swarm in the organization of the call, and starts its coordinator.',
    description:
      'The coordinator adds tasks to the board of the swarm, workers claim them, and the output of the coordinator ' +
      'is the output of the swarm. The runs act with the permissions of the caller, who also needs `ai:invoke`. Free ' +
      'includes no swarms.',
  })
  @ApiCreatedResponse({ type: SwarmAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    PLAN_ERRORS.feature_not_in_plan,
    AGENT_ERRORS.agent_not_found,
    RUN_ERRORS.agent_paused,
    LIMIT_ERRORS.concurrency_limit_exceeded,
  )
  async create(@Caller() call: Call, @Body() { input }: CreateSwarmBody): Promise<Envelope<SwarmView>> {
    return new Envelope(SwarmView.of(await this.swarms.create(call, input)));
  }

  @Get()
  @RequireScope('agents:read')
  @ApiOperation({ summary: 'Lists the swarms of the organization of the call, newest first.' })
  @ApiOkResponse({ type: SwarmPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() { state, page }: SwarmsQuery): Promise<Envelope<SwarmView[]>> {
    return pageEnvelope(await this.swarms.list(call, state, page), (swarm) => SwarmView.of(swarm));
  }

  @Get(':swarm_id')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a swarm, with its tasks by state and what it has cost.' })
  @ApiOkResponse({ type: SwarmAnswer })
  @ApiRefusals(...ANY_CALLER, SWARM_ERRORS.swarm_not_found)
  async get(@Caller() call: Call, @Param('swarm_id') id: string): Promise<Envelope<SwarmView>> {
    return new Envelope(SwarmView.of(await this.swarms.get(call, id)));
  }

  @Post(':swarm_id/cancel')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Cancels a swarm with its tasks. Its runs end within moments.' })
  @ApiOkResponse({ type: SwarmAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, SWARM_ERRORS.swarm_not_found, SWARM_ERRORS.swarm_already_over)
  async cancel(@Caller() call: Call, @Param('swarm_id') id: string): Promise<Envelope<SwarmView>> {
    return new Envelope(SwarmView.of(await this.swarms.cancel(call, id)));
  }
}
