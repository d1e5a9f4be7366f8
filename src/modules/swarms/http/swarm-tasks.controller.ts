import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { SwarmTasksService } from '../board/swarm-tasks.service.js';
import { SWARM_ERRORS } from '../swarms.errors.js';
import { FailedTaskAnswer, FailedTaskView, SwarmTaskAnswer, SwarmTaskView } from './swarm-task-answers.dto.js';
import {
  AddTaskNeedsBody,
  ClaimTaskBody,
  CompleteTaskBody,
  FailTaskBody,
  RenewTaskBody,
  TaskClaimBody,
} from './swarm-tasks.dto.js';

const ANY_CLAIM = [...ANY_CALLER, ...ANY_BODY, SWARM_ERRORS.task_not_found, GENERIC_ERRORS.task_not_claimed];

@ApiTags('swarms')
@Controller('api/v1/tasks/:swarm_task_id')
export class SwarmTasksController {
  constructor(private readonly tasks: SwarmTasksService) {}

  @Get()
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a task of a swarm.' })
  @ApiOkResponse({ type: SwarmTaskAnswer })
  @ApiRefusals(...ANY_CALLER, SWARM_ERRORS.task_not_found)
  async get(@Caller() call: Call, @Param('swarm_task_id') id: string): Promise<Envelope<SwarmTaskView>> {
    return new Envelope(SwarmTaskView.of(await this.tasks.get(call, id)));
  }

  @Post('needs')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Adds needs to a task that is blocked or open.',
    description: 'Refuses needs that would make tasks wait for each other in a cycle.',
  })
  @ApiOkResponse({ type: SwarmTaskAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    SWARM_ERRORS.task_not_found,
    SWARM_ERRORS.task_not_open,
    SWARM_ERRORS.swarm_already_over,
  )
  async addNeeds(
    @Caller() call: Call,
    @Param('swarm_task_id') id: string,
    @Body() { needs }: AddTaskNeedsBody,
  ): Promise<Envelope<SwarmTaskView>> {
    return new Envelope(SwarmTaskView.of(await this.tasks.addNeeds(call, id, needs)));
  }

  @Post('claim')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Claims an open task, for a limited time.',
    description: 'The other calls about the claim need the `fence` that this one returns.',
  })
  @ApiOkResponse({ type: SwarmTaskAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    SWARM_ERRORS.task_not_found,
    SWARM_ERRORS.task_not_open,
    GENERIC_ERRORS.task_already_claimed,
    PLAN_ERRORS.feature_not_in_plan,
  )
  async claim(
    @Caller() call: Call,
    @Param('swarm_task_id') id: string,
    @Body() { name, lease_seconds: leaseSeconds }: ClaimTaskBody,
  ): Promise<Envelope<SwarmTaskView>> {
    return new Envelope(SwarmTaskView.of(await this.tasks.claim(call, id, { name, leaseSeconds })));
  }

  @Post('renew')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Renews a claim, which then lasts `lease_seconds` from now.' })
  @ApiOkResponse({ type: SwarmTaskAnswer })
  @ApiRefusals(...ANY_CLAIM)
  async renew(
    @Caller() call: Call,
    @Param('swarm_task_id') id: string,
    @Body() { fence, lease_seconds: leaseSeconds }: RenewTaskBody,
  ): Promise<Envelope<SwarmTaskView>> {
    return new Envelope(SwarmTaskView.of(await this.tasks.renew(call, { id, fence }, leaseSeconds)));
  }

  @Post('complete')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Completes a claimed task, and opens the tasks that only waited for it.' })
  @ApiOkResponse({ type: SwarmTaskAnswer })
  @ApiRefusals(...ANY_CLAIM)
  async complete(
    @Caller() call: Call,
    @Param('swarm_task_id') id: string,
    @Body() { fence, result }: CompleteTaskBody,
  ): Promise<Envelope<SwarmTaskView>> {
    return new Envelope(SwarmTaskView.of(await this.tasks.complete(call, { id, fence }, result)));
  }

  @Post('fail')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Fails the attempt of a claim.',
    description:
      'The task is open again. After its last attempt, or with `final`, it fails for good, and the tasks that need ' +
      'it are cancelled.',
  })
  @ApiOkResponse({ type: FailedTaskAnswer })
  @ApiRefusals(...ANY_CLAIM)
  async fail(
    @Caller() call: Call,
    @Param('swarm_task_id') id: string,
    @Body() { fence, code, message, final: isFinal }: FailTaskBody,
  ): Promise<Envelope<FailedTaskView>> {
    return new Envelope(FailedTaskView.failed(await this.tasks.fail(call, { id, fence }, { code, message, isFinal })));
  }

  @Post('release')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Releases a claim. The task is open again, and the attempt does not count.' })
  @ApiOkResponse({ type: SwarmTaskAnswer })
  @ApiRefusals(...ANY_CLAIM)
  async release(
    @Caller() call: Call,
    @Param('swarm_task_id') id: string,
    @Body() { fence }: TaskClaimBody,
  ): Promise<Envelope<SwarmTaskView>> {
    return new Envelope(SwarmTaskView.of(await this.tasks.release(call, { id, fence })));
  }
}
