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

const NEEDS = 'Needs `OPS_TOKEN` as bearer token when it is set.';
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
  @ApiOperation({ summary: 'Lists tasks, the newest first.', description: NEEDS })
  @ApiOkResponse({ type: TasksView })
  @ApiRefusals(...ANY_OPERATOR, GENERIC_ERRORS.invalid_request, GENERIC_ERRORS.service_unavailable)
  async list(@Query() query: TasksQuery): Promise<TasksView> {
    return TasksView.of(await this.tasks.list({ status: query.status, runbookTag: query.runbookTag }, query.page));
  }

  @Get(':task_id')
  @ApiOperation({ summary: 'Shows a task, with all that happened to it.', description: NEEDS })
  @ApiOkResponse({ type: TaskHistoryView })
  @ApiRefusals(...ANY_OPERATOR, OPS_ERRORS.ops_task_not_found, GENERIC_ERRORS.service_unavailable)
  async get(@Param('task_id') id: string): Promise<TaskHistoryView> {
    return TaskHistoryView.ofHistory(await this.tasks.get(id));
  }

  @Post(':task_id/claim')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Takes a task, so that nobody else works on it; again, to keep it longer.',
    description: NEEDS,
  })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE, OPS_ERRORS.task_already_claimed, OPS_ERRORS.task_already_resolved)
  async claim(@Param('task_id') id: string, @Body() { agent, leaseSeconds }: LeaseBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.claim(id, agent, leaseSeconds));
  }

  @Post(':task_id/heartbeat')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Keeps a task that you hold, for as long again.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(
    ...ANY_CHANGE,
    OPS_ERRORS.task_already_claimed,
    OPS_ERRORS.task_already_resolved,
    OPS_ERRORS.task_not_claimed,
  )
  async heartbeat(@Param('task_id') id: string, @Body() { agent, leaseSeconds }: LeaseBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.heartbeat(id, agent, leaseSeconds));
  }

  @Post(':task_id/release')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Gives a task back that you hold, for others to take.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(
    ...ANY_CHANGE,
    OPS_ERRORS.task_already_claimed,
    OPS_ERRORS.task_already_resolved,
    OPS_ERRORS.task_not_claimed,
  )
  async release(@Param('task_id') id: string, @Body() { agent }: ReleaseBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.release(id, agent));
  }

  @Post(':task_id/resolve')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Ends a task that you hold, or that nobody does.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE, OPS_ERRORS.task_already_claimed, OPS_ERRORS.task_already_resolved)
  async resolve(@Param('task_id') id: string, @Body() { agent, resolution }: ResolveBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.resolve(id, agent, resolution));
  }

  @Post(':task_id/notes')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Writes down what was found, for whoever comes next.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE)
  async note(@Param('task_id') id: string, @Body() { agent, text }: NoteBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.note(id, agent, text));
  }

  @Post(':task_id/silence')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Keeps a task from counting as unclaimed for a while.', description: NEEDS })
  @ApiOkResponse({ type: TaskView })
  @ApiRefusals(...ANY_CHANGE, OPS_ERRORS.task_already_resolved)
  async silence(@Param('task_id') id: string, @Body() { agent, seconds }: SilenceBody): Promise<TaskView> {
    return TaskView.of(await this.tasks.silence(id, agent, seconds));
  }
}
