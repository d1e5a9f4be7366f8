import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { AGENT_ERRORS } from '../../agents/agents.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { RunBudgets } from '../requests/run-budgets.js';
import { RunMessages } from '../requests/run-messages.js';
import { RunStarts } from '../requests/run-starts.js';
import { RunsService } from '../requests/runs.service.js';
import { RUN_ERRORS } from '../runs.errors.js';
import { RunMessageBody } from './run-messages.dto.js';
import { ResumeRunBody, RunAnswer, RunPageAnswer, RunsQuery, RunView, StartRunBody } from './runs.dto.js';

@ApiTags('agents')
@Controller('api/v1')
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly starts: RunStarts,
    private readonly messages: RunMessages,
    private readonly budgets: RunBudgets,
  ) {}

  @Post('agents/:agent_id/runs')
  @RequireScope('agents:run', { in: 'resource' })
  @RequireFeature('agent_runs')
  @TakesJson()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Starts a run of an agent.',
    description:
      'The run has the permissions of the caller, within the scopes of the live version, and they are checked before ' +
      'every effect. It never spends more than `budget.cost`, which runs below it share. Follow it with ' +
      '`GET /runs/{run_id}/events`. With `Dry-Run: true` nothing starts: `budget.cost` is the most that it would ' +
      'cost, and `missing_scopes` what the caller lacks.',
  })
  @ApiAcceptedResponse({ type: RunAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    AGENT_ERRORS.agent_not_found,
    RUN_ERRORS.agent_paused,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    OPERATOR_ERRORS.feature_disabled,
  )
  async start(
    @Caller() call: Call,
    @Param('agent_id') agentId: string,
    @Body() body: StartRunBody,
  ): Promise<Envelope<RunView>> {
    return new Envelope(RunView.of(await this.starts.start(call, agentId, body.start)));
  }

  @Get('agents/:agent_id/runs')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the runs of an agent, newest first.' })
  @ApiOkResponse({ type: RunPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, AGENT_ERRORS.agent_not_found)
  async listOfAgent(
    @Caller() call: Call,
    @Param('agent_id') agent: string,
    @Query() query: RunsQuery,
  ): Promise<Envelope<RunView[]>> {
    const page = await this.runs.list(call, { ...query.filter, agent }, query.page);
    return pageEnvelope(page, (run) => RunView.of(run));
  }

  @Get('runs')
  @RequireScope('agents:read')
  @ApiOperation({ summary: 'Lists the runs of the organization of the call, newest first.' })
  @ApiOkResponse({ type: RunPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, AGENT_ERRORS.agent_not_found)
  async list(@Caller() call: Call, @Query() query: RunsQuery): Promise<Envelope<RunView[]>> {
    return pageEnvelope(await this.runs.list(call, query.filter, query.page), (run) => RunView.of(run));
  }

  @Get('runs/:run_id')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a run.' })
  @ApiOkResponse({ type: RunAnswer })
  @ApiRefusals(...ANY_CALLER, RUN_ERRORS.run_not_found)
  async get(@Caller() call: Call, @Param('run_id') id: string): Promise<Envelope<RunView>> {
    return new Envelope(RunView.of(await this.runs.get(call, id)));
  }

  @Post('runs/:run_id/messages')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Sends a message to a run.',
    description:
      'The model reads it with its next answer. With `call_id` it answers a question of the run, and with `outcome` ' +
      'it says what became of a call whose outcome is unknown. The run then goes on.',
  })
  @ApiOkResponse({ type: RunAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RUN_ERRORS.run_not_found, RUN_ERRORS.run_already_over)
  async message(
    @Caller() call: Call,
    @Param('run_id') id: string,
    @Body() body: RunMessageBody,
  ): Promise<Envelope<RunView>> {
    return new Envelope(RunView.of(await this.messages.add(call, id, body.input)));
  }

  @Post('runs/:run_id/cancel')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Cancels a run with all runs below it.',
    description: 'What it has begun outside of the service cannot be taken back.',
  })
  @ApiOkResponse({ type: RunAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RUN_ERRORS.run_not_found, RUN_ERRORS.run_already_over)
  async cancel(@Caller() call: Call, @Param('run_id') id: string): Promise<Envelope<RunView>> {
    return new Envelope(RunView.of(await this.runs.cancel(call, id)));
  }

  @Post('runs/:run_id/resume')
  @RequireScope('agents:run', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Lets a run go on that waits for its budget.',
    description: '`budget` replaces limits of the run. Without it, the run only looks again whether there is money.',
  })
  @ApiOkResponse({ type: RunAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RUN_ERRORS.run_not_found, RUN_ERRORS.run_already_over)
  async resume(
    @Caller() call: Call,
    @Param('run_id') id: string,
    @Body() { budget }: ResumeRunBody,
  ): Promise<Envelope<RunView>> {
    return new Envelope(RunView.of(await this.budgets.resume(call, id, budget?.limits ?? {})));
  }
}
