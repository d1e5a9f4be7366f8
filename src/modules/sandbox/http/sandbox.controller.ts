import { Body, Controller, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { hangUpOf } from '../../../platform/http/hang-up.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { wantsEventStream } from '../../../platform/http/last-event-id.js';
import { Public } from '../../../platform/http/public.js';
import { requireNoKey } from '../../../platform/http/streamed-write.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { RequireFeature } from '../../features/require-feature.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { ANY_CALL, LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { AnonymousSandboxService } from '../runs/anonymous-sandbox.service.js';
import { AnonymousStreams } from '../runs/anonymous-streams.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { ExecutionEvents, STREAM_TYPE, streamedOr } from './execution-events.js';
import { RehearsalView } from './executions.dto.js';
import { AnonymousExecutionAnswer, ExecutionRequest, ExecutionView } from './sandbox.dto.js';

@ApiTags('sandbox')
@Controller('api/v1/sandbox')
export class SandboxController {
  constructor(
    private readonly sandbox: AnonymousSandboxService,
    private readonly streams: AnonymousStreams,
    private readonly events: ExecutionEvents,
  ) {}

  /** Service document §4, rule 2. */
  @Post('try')
  @Public()
  @RequireFeature('anonymous_sandbox')
  @NeedsNoStorage()
  @TakesJson({ actsOutside: true })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Runs code in the anonymous sandbox, without an account.',
    description:
      'Allows ten runs a day for each IP address. With `Dry-Run: true` nothing runs and nothing is counted, and ' +
      '`data` has only `language` and `limits`. With `Accept: text/event-stream`, sends the output while the code ' +
      'runs, as events `stdout` and `stderr` with `text`, then an event `result` or `error`, and `end`.',
  })
  @ApiExtraModels(AnonymousExecutionAnswer)
  @ApiOkResponse(streamedOr(AnonymousExecutionAnswer))
  @ApiRefusals(
    ...ANY_CALL,
    GENERIC_ERRORS.invalid_request,
    GENERIC_ERRORS.malformed_json,
    GENERIC_ERRORS.payload_too_large,
    GENERIC_ERRORS.unsupported_media_type,
    OPERATOR_ERRORS.feature_disabled,
    SANDBOX_ERRORS.sandbox_daily_limit_exceeded,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    SANDBOX_ERRORS.sandbox_unavailable,
  )
  async try(
    @Body() request: ExecutionRequest,
    @DryRun() dryRun: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Envelope<ExecutionView | RehearsalView> | undefined> {
    const { req } = response;
    const { input } = request;
    const address = clientAddressOf(req.ip);
    if (dryRun)
      return new Envelope(RehearsalView.of(input.language, await this.sandbox.rehearse(input, address)), {
        dry_run: true,
      });
    const hangUp = hangUpOf(response);
    if (wantsEventStream(req)) {
      requireNoKey(req, STREAM_TYPE);
      await this.events.sendAnonymous(response, await this.streams.run(input, address, hangUp));
      return undefined;
    }
    const { ended, remaining } = await this.sandbox.begin(input, address, hangUp);
    return new Envelope(ExecutionView.of(await ended), { remaining_executions: remaining });
  }
}
