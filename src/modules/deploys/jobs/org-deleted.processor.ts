import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/queues/queue-definition.js';
import type { OrgDeleted } from '../../auth/org-deleted.queue.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployRemoval } from '../upkeep/deploy-removal.service.js';

/** Takes down what an organization has shown the world. */
@Injectable()
export class OrgDeletedProcessor implements JobHandler<OrgDeleted> {
  constructor(
    private readonly projects: ProjectsService,
    private readonly removal: DeployRemoval,
  ) {}

  async handle({ orgId }: OrgDeleted): Promise<void> {
    for (const projectId of await this.projects.idsOf(orgId)) await this.removal.removeProject(projectId);
  }
}
