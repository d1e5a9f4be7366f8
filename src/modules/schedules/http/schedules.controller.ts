import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { AGENT_ERRORS } from '../../agents/agents.errors.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { SchedulesService } from '../domain/schedules.service.js';
import { SCHEDULE_ERRORS } from '../schedules.errors.js';
import {
  ScheduleAnswer,
  SchedulePageAnswer,
  ScheduleTimesAnswer,
  ScheduleTimesView,
  AgentScheduleView,
} from './agent-schedule-views.dto.js';
import {
  CreateScheduleBody,
  PreviewScheduleBody,
  SchedulesQuery,
  UpdateScheduleBody,
  CREATE_SCHEDULE_EXAMPLES,
  PREVIEW_SCHEDULE_EXAMPLES,
} from './schedules.dto.js';

@ApiTags('schedules')
@Controller('api/v1/schedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Get()
  @RequireScope('agents:read')
  @ApiOperation({ summary: 'Lists the schedules of an organization, newest first.' })
  @ApiOkResponse({ type: SchedulePageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: SchedulesQuery): Promise<Envelope<AgentScheduleView[]>> {
    return pageEnvelope(await this.schedules.list(call, query.filter, query.page), (each) =>
      AgentScheduleView.of(each),
    );
  }

  @Post()
  @RequireFeature('schedules')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @ApiBody({ type: CreateScheduleBody, examples: CREATE_SCHEDULE_EXAMPLES })
  @ApiOperation({
    summary: 'Creates a schedule, which starts runs of an agent at times.',
    description:
      'Runs have the permissions of the caller, within the scopes of the agent. Give exactly one of `cron`, ' +
      '`every_seconds` and `at`. Free includes no schedules.',
  })
  @ApiCreatedResponse({ type: ScheduleAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    AGENT_ERRORS.agent_not_found,
    PLAN_ERRORS.feature_not_in_plan,
    PLAN_ERRORS.plan_limit_reached,
    OPERATOR_ERRORS.feature_disabled,
  )
  async create(
    @Caller() call: Call,
    @Body() { agent_id, fields }: CreateScheduleBody,
  ): Promise<Envelope<AgentScheduleView>> {
    return new Envelope(AgentScheduleView.of(await this.schedules.create(call, agent_id, fields)));
  }

  @Post('preview')
  @RequireScope('agents:read')
  @TakesJson()
  @ApiBody({ type: PreviewScheduleBody, examples: PREVIEW_SCHEDULE_EXAMPLES })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Returns the next times that a schedule would fire.',
    description: 'A time that the clock skips fires at the first moment after the gap; one shown twice fires once.',
  })
  @ApiOkResponse({ type: ScheduleTimesAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY)
  preview(@Body() { timing, count }: PreviewScheduleBody): Envelope<ScheduleTimesView> {
    return new Envelope(ScheduleTimesView.of(this.schedules.preview(timing, count)));
  }

  @Get(':schedule_id')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a schedule, with its next two times and its last one.' })
  @ApiOkResponse({ type: ScheduleAnswer })
  @ApiRefusals(...ANY_CALLER, SCHEDULE_ERRORS.schedule_not_found)
  async get(@Caller() call: Call, @Param('schedule_id') id: string): Promise<Envelope<AgentScheduleView>> {
    return new Envelope(AgentScheduleView.of(await this.schedules.get(call, id)));
  }

  @Patch(':schedule_id')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Updates a schedule.',
    description:
      'Absent fields stay the same. `cron`, `every_seconds` or `at` replaces the other two, and counts from now.',
  })
  @ApiOkResponse({ type: ScheduleAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, SCHEDULE_ERRORS.schedule_not_found)
  async update(
    @Caller() call: Call,
    @Param('schedule_id') id: string,
    @Body() { fields }: UpdateScheduleBody,
  ): Promise<Envelope<AgentScheduleView>> {
    return new Envelope(AgentScheduleView.of(await this.schedules.update(call, id, fields)));
  }

  @Delete(':schedule_id')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a schedule with its history. Its runs stay.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, SCHEDULE_ERRORS.schedule_not_found)
  delete(@Caller() call: Call, @Param('schedule_id') id: string): Promise<void> {
    return this.schedules.delete(call, id);
  }

  @Post(':schedule_id/pause')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Pauses a schedule. The active run continues.' })
  @ApiOkResponse({ type: ScheduleAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, SCHEDULE_ERRORS.schedule_not_found)
  async pause(@Caller() call: Call, @Param('schedule_id') id: string): Promise<Envelope<AgentScheduleView>> {
    return new Envelope(AgentScheduleView.of(await this.schedules.pause(call, id)));
  }

  @Post(':schedule_id/resume')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Resumes a schedule from now on.',
    description: 'Times that passed while it was paused are not made up for.',
  })
  @ApiOkResponse({ type: ScheduleAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, SCHEDULE_ERRORS.schedule_not_found, PLAN_ERRORS.feature_not_in_plan)
  async resume(@Caller() call: Call, @Param('schedule_id') id: string): Promise<Envelope<AgentScheduleView>> {
    return new Envelope(AgentScheduleView.of(await this.schedules.resume(call, id)));
  }
}
