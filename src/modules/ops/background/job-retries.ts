import { Injectable } from '@nestjs/common';
import { FailedJobs } from '../../../platform/queues/failed-jobs.js';
import { FailedJobNotFound } from '../ops.errors.js';

@Injectable()
export class JobRetries {
  constructor(private readonly jobs: FailedJobs) {}

  /**
   * Puts a failed job into its queue again. Handlers of jobs are safe to run twice.
   *
   * @throws {FailedJobNotFound} `failed_job_not_found`
   */
  async retry(queue: string, jobId: string): Promise<void> {
    if (!(await this.jobs.retry(queue, jobId))) throw new FailedJobNotFound();
  }
}
