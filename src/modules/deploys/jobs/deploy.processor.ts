import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { DeployAdmissionService } from '../admission/deploy-admission.service.js';
import { DeployRunner } from '../pipeline/deploy-runner.js';
import type { DeployPayload } from './deploy.job.js';
import { deployJob } from './deploy.job.js';

/** Runs an attempt, and then admits the next deploy to the slot that it leaves. */
@Injectable()
@Handles(deployJob)
export class DeployProcessor implements JobHandler<DeployPayload> {
  constructor(
    private readonly runner: DeployRunner,
    private readonly admission: DeployAdmissionService,
  ) {}

  async handle(job: DeployPayload, { signal }: JobContext): Promise<void> {
    await this.runner.run(job, signal);
    await this.admission.runSoon();
  }
}
