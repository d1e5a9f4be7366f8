import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { RequireOperatorToken } from '../../auth/require-operator-token.js';

@ApiTags('operations')
@Controller()
@RequireOperatorToken('metrics')
export class MetricsController extends PrometheusController {
  // The path comes from the module: nestjs-prometheus gives its controller `/metrics`.
  @Get()
  @ApiOperation({ summary: 'Counters, gauges and histograms for Prometheus.', description: 'Needs `METRICS_TOKEN` as bearer token when it is set.' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ description: 'Prometheus text format', schema: { type: 'string' } })
  override index(@Res({ passthrough: true }) response: Response): Promise<string> {
    return super.index(response);
  }
}
