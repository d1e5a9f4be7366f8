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

  /** Touches nothing: it says only that the process runs. */
  @Get('health')
  @ApiOperation({ summary: 'Liveness.' })
  @ApiOkResponse({ type: HealthView })
  health(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Readiness, with the database, the migrations, Redis, the queues and the sandbox.' })
  @ApiOkResponse({ type: ReadinessView, description: 'Ready; `degraded` when a part that others do without is down.' })
  @ApiServiceUnavailableResponse({ type: ReadinessView, description: 'Not ready, or `shutting_down`.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    try {
      const result = await this.readiness.check();
      if (result.status === 'shutting_down') response.status(HttpStatus.SERVICE_UNAVAILABLE);
      return result;
    } catch (thrown) {
      // Probes read the shape of Terminus, not that of API errors.
      if (!(thrown instanceof ServiceUnavailableException)) throw thrown;
      response.status(HttpStatus.SERVICE_UNAVAILABLE);
      return thrown.getResponse() as object;
    }
  }
}
