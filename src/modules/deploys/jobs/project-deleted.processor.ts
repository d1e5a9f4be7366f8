import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { ProjectDeletedPayload } from '../../projects/project-deleted.job.js';
import { DeployRemoval } from '../upkeep/deploy-removal.js';
import { projectDeletedSubscription } from './deploys.job.js';

@Injectable()
@Handles(projectDeletedSubscription)
export class ProjectDeletedProcessor implements JobHandler<ProjectDeletedPayload> {
  constructor(private readonly removal: DeployRemoval) {}

  handle({ projectId }: ProjectDeletedPayload): Promise<void> {
    return this.removal.removeProject(projectId);
  }
}
