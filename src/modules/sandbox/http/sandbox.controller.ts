import { Body, Controller, HttpCode, HttpStatus, Ip, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_CALL, ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { AnonymousSandboxService } from '../anonymous-sandbox.service.js';
import { AnonymousExecutionAnswer, ExecutionRequest, ExecutionView } from './sandbox.dto.js';

@ApiTags('sandbox')
@Controller('api/v1/sandbox')
export class SandboxController {
  constructor(private readonly sandbox: AnonymousSandboxService) {}

  /** Service document §4, rule 2. */
  @Post('try')
  @Public()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Runs code in the anonymous sandbox: no account, ten runs a day for one IP address.' })
  @ApiOkResponse({ type: AnonymousExecutionAnswer, description: 'The code ran; `data.status` says how it ended.' })
  @ApiRefusals(...ANY_CALL, 'invalid_request', 'malformed_json', 'payload_too_large', 'unsupported_media_type', 'sandbox_daily_limit_exceeded', 'concurrency_limit_exceeded', 'sandbox_unavailable')
  async try(@Body() request: ExecutionRequest, @Ip() ip: string, @HangUpSignal() hangUp: AbortSignal): Promise<Envelope<ExecutionView>> {
    const { execution, remaining } = await this.sandbox.try(request, clientAddressOf(ip), hangUp);
    return new Envelope(ExecutionView.of(execution), { remaining_executions: remaining });
  }
}
