import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { SiblingProcesses } from '../../../platform/lifecycle/sibling-processes.js';
import { ANY_TOKEN } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { mergeExpositions } from '../exposition/merge-expositions.js';

@ApiTags('operations')
@Controller()
@RequireOperatorToken('metrics')
export class MetricsController extends PrometheusController {
  constructor(private readonly siblings: SiblingProcesses) {
    super();
  }

  // The module sets the path: nestjs-prometheus serves its controller at `/metrics`.
  @Get()
  @ApiOperation({
    summary: 'Returns the metrics in the text format of Prometheus.',
    description: 'Requires `METRICS_TOKEN` as the bearer token if it is set.',
  })
  @ApiOkResponse({ description: 'Prometheus text format', content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiRefusals(...ANY_TOKEN)
  override async index(@Res({ passthrough: true }) response: Response): Promise<string> {
    const [own, others] = await Promise.all([super.index(response), this.siblings.metrics()]);
    return others.length === 0 ? own : mergeExpositions([own, ...others]);
  }
}
