import { Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { JobRetries } from '../background/job-retries.js';
import { ScheduleTimes } from '../background/schedule-times.js';
import { OPS_ERRORS } from '../ops.errors.js';
import { SchedulesView } from './ops-background.dto.js';

const NEEDS = 'Requires `OPS_TOKEN` as the bearer token if it is set.';

@ApiTags('operations')
@NeedsNoStorage()
@Controller('ops')
@RequireOperatorToken('ops')
export class OpsBackgroundController {
  constructor(
    private readonly retries: JobRetries,
    private readonly times: ScheduleTimes,
  ) {}

  @Post('queues/:queue/jobs/:job_id/retry')
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Puts a job that failed for good into its queue again, with all its attempts.',
    description: `${NEEDS} Handlers of jobs are safe to run twice. \`GET /ops/errors\` lists the failed jobs.`,
  })
  @ApiNoContentResponse({ description: 'The job waits in its queue.' })
  @ApiRefusals(...ANY_OPERATOR, ...ANY_WRITE, OPS_ERRORS.failed_job_not_found, GENERIC_ERRORS.service_unavailable)
  async retry(@Param('queue') queue: string, @Param('job_id') jobId: string): Promise<void> {
    await this.retries.retry(queue, jobId);
  }

  @Get('schedules')
  @ApiOperation({
    summary: 'Lists the schedules that one process at a time runs, with their last and next runs.',
    description: NEEDS,
  })
  @ApiOkResponse({ type: SchedulesView })
  @ApiRefusals(...ANY_OPERATOR, GENERIC_ERRORS.service_unavailable)
  async schedules(): Promise<SchedulesView> {
    return SchedulesView.of(await this.times.list());
  }
}
