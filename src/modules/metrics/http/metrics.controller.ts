import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { RequireOperatorToken } from '../../auth/require-operator-token.js';

@ApiTags('operations')
@Controller()
@RequireOperatorToken('metrics')
export class MetricsController extends PrometheusController {
  // The path comes from the module: nestjs-prometheus gives its controller `/metrics`.
  @Get()
  @ApiOperation({ summary: 'Counters, gauges and histograms for Prometheus.', description: 'Needs `METRICS_TOKEN` as bearer token when it is set.' })
  @ApiOkResponse({ description: 'Prometheus text format', content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiRefusals('invalid_token')
  override index(@Res({ passthrough: true }) response: Response): Promise<string> {
    return super.index(response);
  }
}
