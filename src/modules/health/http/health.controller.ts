import { Controller, Get, HttpStatus, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { ReadinessService } from '../readiness.service.js';
import { HealthView, ReadinessView } from './health.dto.js';

@ApiTags('operations')
@Controller()
@Public()
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  /** Reports only that the process runs, without touching its dependencies. */
  @Get('health')
  @ApiOperation({ summary: 'Liveness.' })
  @ApiOkResponse({ type: HealthView })
  health(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Reports the readiness of the process and of each part that it depends on.' })
  @ApiOkResponse({
    type: ReadinessView,
    description: 'The process is ready. A part is `degraded` when the others work without it.',
  })
  @ApiServiceUnavailableResponse({ type: ReadinessView, description: 'Not ready, or `shutting_down`.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    try {
      const result = await this.readiness.check();
      if (result.status === 'shutting_down') response.status(HttpStatus.SERVICE_UNAVAILABLE);
      return result;
    } catch (thrown) {
      // Probes expect the answer of Terminus, not an API error.
      if (!(thrown instanceof ServiceUnavailableException)) throw thrown;
      response.status(HttpStatus.SERVICE_UNAVAILABLE);
      return thrown.getResponse() as object;
    }
  }
}
