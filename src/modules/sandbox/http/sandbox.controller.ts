import { Body, Controller, HttpCode, HttpStatus, Ip, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { SandboxService } from '../sandbox.service.js';
import { AnonymousExecutionAnswer, ExecutionRequest, ExecutionView } from './sandbox.dto.js';

@ApiTags('sandbox')
@Controller('api/v1/sandbox')
export class SandboxController {
  constructor(private readonly sandbox: SandboxService) {}

  /** Service document §4, rule 2. */
  @Post('try')
  @Public()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Runs code in the anonymous sandbox: no account, ten runs a day for one IP address.' })
  @ApiOkResponse({ type: AnonymousExecutionAnswer, description: 'The code ran; `data.status` says how it ended.' })
  @ApiRefusals('invalid_request', 'malformed_json', 'payload_too_large', 'unsupported_media_type', 'sandbox_daily_limit_exceeded', 'sandbox_unavailable')
  async try(@Body() request: ExecutionRequest, @Ip() ip: string): Promise<Envelope<ExecutionView>> {
    const { execution, remaining } = await this.sandbox.try(request, clientAddressOf(ip));
    return new Envelope(ExecutionView.of(execution), { remaining_executions: remaining });
  }
}
