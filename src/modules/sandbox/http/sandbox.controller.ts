import { Body, Controller, HttpCode, HttpStatus, Ip, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { RequireFeature } from '../../features/require-feature.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { ANY_CALL, LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { AnonymousSandboxService } from '../runs/anonymous-sandbox.service.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { RehearsalView } from './executions.dto.js';
import { AnonymousExecutionAnswer, ExecutionRequest, ExecutionView } from './sandbox.dto.js';

@ApiTags('sandbox')
@Controller('api/v1/sandbox')
export class SandboxController {
  constructor(private readonly sandbox: AnonymousSandboxService) {}

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
      '`data` has only `language` and `limits`.',
  })
  @ApiOkResponse({ type: AnonymousExecutionAnswer, description: 'The code ran; `data.status` says how it ended.' })
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
    @Ip() ip: string,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<Envelope<ExecutionView | RehearsalView>> {
    if (dryRun)
      return new Envelope(RehearsalView.of(request.language, await this.sandbox.rehearse()), { dry_run: true });
    const { execution, remaining } = await this.sandbox.try(request, clientAddressOf(ip), hangUp);
    return new Envelope(ExecutionView.of(execution), { remaining_executions: remaining });
  }
}
