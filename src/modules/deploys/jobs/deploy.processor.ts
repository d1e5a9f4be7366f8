import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../../../platform/queues/queue-definition.js';
import { DeployRunner } from '../pipeline/deploy-runner.js';
import type { DeployJob } from './deploy.queue.js';

@Injectable()
export class DeployProcessor implements JobHandler<DeployJob> {
  constructor(private readonly runner: DeployRunner) {}

  handle(job: DeployJob, { signal }: JobContext): Promise<void> {
    return this.runner.run(job, signal);
  }
}
