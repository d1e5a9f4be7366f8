import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { hangUpOf } from '../../../platform/http/hang-up.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { wantsEventStream } from '../../../platform/http/last-event-id.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { requireNoKey } from '../../../platform/http/streamed-write.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { ExecutionStreams } from '../executions/execution-streams.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { ExecutionEvents, STREAM_TYPE, streamedOr } from './execution-events.js';
import {
  EXECUTION_EXAMPLES,
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
  constructor(
    private readonly executions: ExecutionsService,
    private readonly streams: ExecutionStreams,
    private readonly events: ExecutionEvents,
  ) {}

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
      '`max_cost`. With `Accept: text/event-stream`, sends an event `execution`, the output while the code runs as ' +
      'events `stdout` and `stderr` with `text`, then an event `result` or `error`, and `end`. With `wait: false`, ' +
      'closing such a stream does not end the run: continue with `GET …/events`.',
  })
  @ApiBody({ type: OrgExecutionRequest, examples: EXECUTION_EXAMPLES })
  @ApiExtraModels(OrgExecutionAnswer)
  @ApiOkResponse(streamedOr(OrgExecutionAnswer))
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
    SANDBOX_ERRORS.package_install_failed,
    SANDBOX_ERRORS.packages_unavailable,
    SANDBOX_ERRORS.sandbox_unavailable,
  )
  async create(
    @Caller() call: Call,
    @Body() body: OrgExecutionRequest,
    @DryRun() dryRun: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Envelope<OrgExecutionView | RehearsalView> | undefined> {
    const { input, wait } = body;
    if (dryRun)
      return new Envelope(RehearsalView.ofPaid(input.language, await this.executions.rehearse(call, input)), REHEARSED);
    const hangUp = hangUpOf(response);
    if (wantsEventStream(response.req)) {
      requireNoKey(response.req, STREAM_TYPE);
      await this.events.sendOfOrg(response, await this.streams.run(call, body, hangUp));
      return undefined;
    }
    if (wait) return new Envelope(OrgExecutionView.of(await this.executions.run(call, input, hangUp)));
    // It may be followed later.
    const execution = await this.executions.start(call, { ...input, isFollowed: true });
    return new Envelope(OrgExecutionView.ofQueued(execution), {}, HttpStatus.ACCEPTED);
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
