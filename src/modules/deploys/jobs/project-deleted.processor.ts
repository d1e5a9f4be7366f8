import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/queues/queue-definition.js';
import type { ProjectDeleted } from '../../projects/project-deleted.queue.js';
import { DeployRemoval } from '../upkeep/deploy-removal.service.js';

@Injectable()
export class ProjectDeletedProcessor implements JobHandler<ProjectDeleted> {
  constructor(private readonly removal: DeployRemoval) {}

  handle({ projectId }: ProjectDeleted): Promise<void> {
    return this.removal.removeProject(projectId);
  }
}
