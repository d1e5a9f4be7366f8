import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { ProjectsService } from '../projects.service.js';
import { projectsOrgDeletedSubscription } from './projects.job.js';

/** Deletes the projects of a deleted organization one by one, so that other modules notice each. */
@Injectable()
@Handles(projectsOrgDeletedSubscription)
export class ProjectsOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(private readonly projects: ProjectsService) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    for (const id of await this.projects.idsOf(orgId)) await this.projects.deleteOfDeletedOrg(id);
  }
}
