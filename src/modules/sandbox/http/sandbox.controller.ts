import { Body, Controller, HttpCode, HttpStatus, Ip, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_CALL, ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { RequireFeature } from '../../features/require-feature.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { AnonymousSandboxService } from '../anonymous-sandbox.service.js';
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
    summary: 'Runs code in the anonymous sandbox: no account, ten runs a day for one IP address.',
    description:
      'With `Dry-Run: true` nothing runs and nothing is counted, and `data` has only `language` and `limits`.',
  })
  @ApiOkResponse({ type: AnonymousExecutionAnswer, description: 'The code ran; `data.status` says how it ended.' })
  @ApiRefusals(
    ...ANY_CALL,
    'invalid_request',
    'malformed_json',
    'payload_too_large',
    'unsupported_media_type',
    'feature_disabled',
    'sandbox_daily_limit_exceeded',
    'concurrency_limit_exceeded',
    'sandbox_unavailable',
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
