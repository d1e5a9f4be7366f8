import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { RecentErrors } from '../../../platform/http/recent-errors.js';
import { FailedJobs } from '../../../platform/queues/failed-jobs.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { RecentErrorsView } from './ops-errors.dto.js';

@ApiTags('operations')
@NeedsNoStorage()
@Controller('ops/errors')
@RequireOperatorToken('ops')
export class OpsErrorsController {
  constructor(
    private readonly errors: RecentErrors,
    private readonly jobs: FailedJobs,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the latest requests that failed with 5xx, and jobs that failed for good, latest first.',
    description: 'Requires `OPS_TOKEN` as the bearer token if it is set. The log has the details by the request id.',
  })
  @ApiOkResponse({ type: RecentErrorsView })
  @ApiRefusals(...ANY_OPERATOR, GENERIC_ERRORS.service_unavailable)
  async list(): Promise<RecentErrorsView> {
    return RecentErrorsView.of(await this.errors.list(), await this.jobs.list());
  }
}
