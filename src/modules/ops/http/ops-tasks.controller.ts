import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { OPS_ERRORS } from '../ops.errors.js';
import { OpsTasksService } from '../tasks/ops-tasks.service.js';
import {
  LeaseBody,
  NoteBody,
  ReleaseBody,
  ResolveBody,
  SilenceBody,
  TaskHistoryView,
  TasksQuery,
  TasksView,
  TaskView,
} from './ops-tasks.dto.js';

const NEEDS = 'Requires `OPS_TOKEN` as the bearer token if it is set.';
const ANY_CHANGE = [
  ...ANY_OPERATOR,
  ...ANY_BODY,
  OPS_ERRORS.ops_task_not_found,
  GENERIC_ERRORS.service_unavailable,
] as const;

@ApiTags('operations')
@NeedsNoStorage()
@Controller('ops/tasks')
@RequireOperatorToken('ops')
export class OpsTasksController {
  constructor(private readonly tasks: OpsTasksService) {}

  @Get()
  @ApiOperation({ summary: 'Lists tasks, newest first.', description: NEEDS })
  @ApiOkResponse({ type: TasksView })
  @ApiRefusals(...ANY_OPERATOR, GENERIC_ERRORS.invalid_request, GENERIC_ERRORS.service_unavailable)
  async list(@Query() query: TasksQuery): Promise<TasksView> {
    return TasksView.of(await this.tasks.list({ status: query.status, runbookTag: query.runbookTag }, query.page));
  }

  @Get(':task_id')
  @ApiOperation({ summary: 'Returns a task with its history.', description: NEEDS })
  @ApiOkResponse({ type: TaskHistoryView })
  @ApiRefusals(...ANY_OPERATOR, OPS_ERRORS.ops_task_not_found, GENERIC_ERRORS.service_unavailable)
  async get(@Param('task_id') id: string): Promise<TaskHistoryView> {
    return TaskHistoryView.ofHistory(await this.tasks.get(id));
  }

  @Post(':task_id/claim')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Claims a task.',
    description: `${NEEDS} Claim it again to extend the lease. Refused while another agent holds the task.`,
  })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE, GENERIC_ERRORS.task_already_claimed, OPS_ERRORS.task_already_resolved)
  async claim(@Param('task_id') id: string, @Body() { agent, leaseSeconds }: LeaseBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.claim(id, agent, leaseSeconds));
  }

  @Post(':task_id/heartbeat')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Extends your claim of a task.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(
    ...ANY_CHANGE,
    GENERIC_ERRORS.task_already_claimed,
    OPS_ERRORS.task_already_resolved,
    GENERIC_ERRORS.task_not_claimed,
  )
  async heartbeat(@Param('task_id') id: string, @Body() { agent, leaseSeconds }: LeaseBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.heartbeat(id, agent, leaseSeconds));
  }

  @Post(':task_id/release')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Releases a task that you hold, so that others can claim it.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(
    ...ANY_CHANGE,
    GENERIC_ERRORS.task_already_claimed,
    OPS_ERRORS.task_already_resolved,
    GENERIC_ERRORS.task_not_claimed,
  )
  async release(@Param('task_id') id: string, @Body() { agent }: ReleaseBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.release(id, agent));
  }

  @Post(':task_id/resolve')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Resolves a task that you hold or that is unclaimed.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE, GENERIC_ERRORS.task_already_claimed, OPS_ERRORS.task_already_resolved)
  async resolve(@Param('task_id') id: string, @Body() { agent, resolution }: ResolveBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.resolve(id, agent, resolution));
  }

  @Post(':task_id/notes')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Adds a note to a task.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE)
  async note(@Param('task_id') id: string, @Body() { agent, text }: NoteBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.note(id, agent, text));
  }

  @Post(':task_id/silence')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Silences a task, so that it does not count as unclaimed for a while.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE, OPS_ERRORS.task_already_resolved)
  async silence(@Param('task_id') id: string, @Body() { agent, seconds }: SilenceBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.silence(id, agent, seconds));
  }
}
