import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { SwarmTasksService } from '../board/swarm-tasks.service.js';
import { SWARM_ERRORS } from '../swarms.errors.js';
import { NextTaskAnswer, SwarmTaskAnswer, SwarmTaskPageAnswer, SwarmTaskView } from './swarm-task-answers.dto.js';
import { ClaimNextTaskBody, CreateSwarmTaskBody, SwarmTasksQuery } from './swarm-tasks.dto.js';

@ApiTags('swarms')
@Controller('api/v1/swarms/:swarm_id/tasks')
export class SwarmBoardController {
  constructor(private readonly tasks: SwarmTasksService) {}

  @Get()
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the tasks of a swarm, oldest first.' })
  @ApiOkResponse({ type: SwarmTaskPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, SWARM_ERRORS.swarm_not_found)
  async list(
    @Caller() call: Call,
    @Param('swarm_id') swarmId: string,
    @Query() { state, page }: SwarmTasksQuery,
  ): Promise<Envelope<SwarmTaskView[]>> {
    return pageEnvelope(await this.tasks.list(call, swarmId, state, page), (task) => SwarmTaskView.of(task));
  }

  @Post()
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Adds a task to the board of a swarm.',
    description: 'The task opens when all tasks that it needs are done. A swarm can have 1,000 tasks.',
  })
  @ApiCreatedResponse({ type: SwarmTaskAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    SWARM_ERRORS.swarm_not_found,
    SWARM_ERRORS.swarm_already_over,
    PLAN_ERRORS.feature_not_in_plan,
  )
  async add(
    @Caller() call: Call,
    @Param('swarm_id') swarmId: string,
    @Body() { input }: CreateSwarmTaskBody,
  ): Promise<Envelope<SwarmTaskView>> {
    return new Envelope(SwarmTaskView.of(await this.tasks.add(call, swarmId, input)));
  }

  @Post('claim')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Claims the oldest open task of a swarm that fits the labels.',
    description: '`data` is null when there is none. Ask again after a while: tasks open when others are done.',
  })
  @ApiOkResponse({ type: NextTaskAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, SWARM_ERRORS.swarm_not_found, PLAN_ERRORS.feature_not_in_plan)
  async claimNext(
    @Caller() call: Call,
    @Param('swarm_id') swarmId: string,
    @Body() { name, labels, lease_seconds: leaseSeconds }: ClaimNextTaskBody,
  ): Promise<Envelope<SwarmTaskView | null>> {
    const task = await this.tasks.claimNext(call, swarmId, { name, labels, leaseSeconds });
    return new Envelope(task === undefined ? null : SwarmTaskView.of(task));
  }
}
