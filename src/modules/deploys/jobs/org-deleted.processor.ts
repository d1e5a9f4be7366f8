import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployRemoval } from '../upkeep/deploy-removal.js';
import { orgDeletedSubscription } from './deploys.job.js';

/** Takes down the deploys of a deleted organization. */
@Injectable()
@Handles(orgDeletedSubscription)
export class OrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly projects: ProjectsService,
    private readonly removal: DeployRemoval,
  ) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    for (const projectId of await this.projects.idsOf(orgId)) await this.removal.removeProject(projectId);
  }
}
