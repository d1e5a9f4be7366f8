import { ApiProperty } from '@nestjs/swagger';
import type { RecentError } from '../../../platform/http/recent-errors.js';
import type { FailedJob } from '../../../platform/queues/failed-jobs.js';

class RecentErrorView {
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({ description: 'The log has the error under this id.' }) requestId!: string;
  @ApiProperty({ example: 'POST' }) method!: string;
  @ApiProperty({ example: '/api/v1/projects/:project_id' }) route!: string;
  @ApiProperty({ type: 'integer', example: 500 }) status!: number;
  @ApiProperty({ example: 'internal_error' }) code!: string;
  @ApiProperty({ example: 'TypeError', description: 'The class of the error.' }) name!: string;
}

class FailedJobView {
  @ApiProperty({ example: 'deploys' }) queue!: string;
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'The message of the last error, at most 300 characters.' }) reason!: string;
  @ApiProperty({ type: 'integer', description: 'How often it was tried.' }) attempts!: number;
  @ApiProperty({ format: 'date-time' }) failedAt!: string;
}

export class RecentErrorsView {
  @ApiProperty({ type: [RecentErrorView], description: 'Requests answered with 5xx, at most 100 of the last 7 days.' })
  requests!: RecentErrorView[];
  @ApiProperty({ type: [FailedJobView], description: 'Jobs that failed for good, at most 50 of the last 30 days.' })
  jobs!: FailedJobView[];

  static of(requests: readonly RecentError[], jobs: readonly FailedJob[]): RecentErrorsView {
    return {
      requests: [...requests],
      jobs: jobs.map((job) => ({ ...job, failedAt: job.failedAt.toISOString() })),
    };
  }
}
