import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { DeployRunner } from '../pipeline/deploy-runner.js';
import type { DeployPayload } from './deploy.job.js';
import { deployJob } from './deploy.job.js';

@Injectable()
@Handles(deployJob)
export class DeployProcessor implements JobHandler<DeployPayload> {
  constructor(private readonly runner: DeployRunner) {}

  handle(job: DeployPayload, { signal }: JobContext): Promise<void> {
    return this.runner.run(job, signal);
  }
}
