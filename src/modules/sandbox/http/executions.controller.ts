import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import {
  ExecutionPageAnswer,
  ListedExecutionView,
  OrgExecutionAnswer,
  OrgExecutionRequest,
  OrgExecutionView,
  RehearsalView,
} from './executions.dto.js';

/** The largest code, input and files together, with room for JSON escapes. */
const BODY_BYTES = 2_097_152;
const REHEARSED = { dry_run: true };

@ApiTags('sandbox')
@Controller('api/v1/sandbox/executions')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionsService) {}

  @Post()
  @RequireScope('sandbox:execute')
  @RequireFeature('sandbox_executions')
  @TakesJson({ actsOutside: true, limitBytes: BODY_BYTES })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: "Runs code in the sandbox, within the limits of the organization's plan.",
    description:
      'Holds the price of the time limit, and charges only for the time that the run takes. Closing the connection ' +
      'while you wait ends the run. With `Dry-Run: true` nothing runs, and `data` has only `language`, `limits` and ' +
      '`max_cost`.',
  })
  @ApiOkResponse({ type: OrgExecutionAnswer, description: 'The code ran; `data.status` says how it ended.' })
  @ApiAcceptedResponse({
    type: OrgExecutionAnswer,
    description: 'With `wait: false`, the code is queued and runs whether or not you ask for the result.',
  })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    CREDIT_ERRORS.credits_exhausted,
    CREDIT_ERRORS.spend_cap_reached,
    CREDIT_ERRORS.budget_exceeded,
    OPERATOR_ERRORS.feature_disabled,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    SANDBOX_ERRORS.sandbox_unavailable,
  )
  async create(
    @Caller() call: Call,
    @Body() { input, wait }: OrgExecutionRequest,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<Envelope<OrgExecutionView | RehearsalView>> {
    if (dryRun)
      return new Envelope(RehearsalView.ofPaid(input.language, await this.executions.rehearse(call, input)), REHEARSED);
    if (wait) return new Envelope(OrgExecutionView.of(await this.executions.run(call, input, hangUp)));
    return new Envelope(OrgExecutionView.ofQueued(await this.executions.start(call, input)), {}, HttpStatus.ACCEPTED);
  }

  @Get()
  @RequireScope('sandbox:execute')
  @ApiOperation({
    summary: 'Lists the executions of the last 30 days, newest first.',
    description: 'Covers the organization of the key. To read the output of an execution, request it by ID.',
  })
  @ApiOkResponse({ type: ExecutionPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<ListedExecutionView[]>> {
    return pageEnvelope(await this.executions.list(call, query.page), (execution) => ListedExecutionView.of(execution));
  }

  @Get(':execution_id')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an execution and, once it has ended, its output.' })
  @ApiOkResponse({ type: OrgExecutionAnswer })
  @ApiRefusals(...ANY_CALLER, SANDBOX_ERRORS.execution_not_found)
  async get(@Caller() call: Call, @Param('execution_id') id: string): Promise<Envelope<OrgExecutionView>> {
    return new Envelope(OrgExecutionView.of(await this.executions.get(call, id)));
  }

  @Post(':execution_id/cancel')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @TakesNothing({ actsOutside: true })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Cancels a queued or running execution.',
    description: 'The output is discarded, and the time that the code ran is charged.',
  })
  @ApiOkResponse({ type: OrgExecutionAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, SANDBOX_ERRORS.execution_not_found, SANDBOX_ERRORS.execution_already_over)
  async cancel(
    @Caller() call: Call,
    @Param('execution_id') id: string,
    @DryRun() dryRun: boolean,
  ): Promise<Envelope<OrgExecutionView>> {
    if (dryRun) return new Envelope(OrgExecutionView.of(await this.executions.rehearseCancel(call, id)), REHEARSED);
    return new Envelope(OrgExecutionView.of(await this.executions.cancel(call, id)));
  }
}
