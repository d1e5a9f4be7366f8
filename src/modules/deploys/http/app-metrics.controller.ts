import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { Clock } from '../../../platform/time/clock.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { AppMetricsService } from '../../hosting/app-metrics.service.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { DEPLOY_ERRORS } from '../deploys.errors.js';
import { AppScopes } from '../requests/app-scopes.js';
import { AppMetricsAnswer, AppMetricsQuery, AppMetricsView } from './app-metrics.dto.js';

@ApiTags('deploys')
@Controller('api/v1/projects/:project_id/metrics')
export class AppMetricsController {
  constructor(
    private readonly scopes: AppScopes,
    private readonly metrics: AppMetricsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Returns requests, errors, durations, memory and restarts of a project over time.',
    description: 'Metrics arrive within about ten seconds and are kept for seven days. They are not billed.',
  })
  @ApiOkResponse({ type: AppMetricsAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    GENERIC_ERRORS.invalid_request,
    PROJECT_ERRORS.project_not_found,
    DEPLOY_ERRORS.deploy_not_found,
  )
  async get(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Query() query: AppMetricsQuery,
  ): Promise<Envelope<AppMetricsView>> {
    const period = query.periodAt(this.clock.now());
    const scope = await this.scopes.find(call, projectIdOrSlug, query.deploy);
    return new Envelope(AppMetricsView.of(period, await this.metrics.read({ ...scope, ...period })));
  }
}
