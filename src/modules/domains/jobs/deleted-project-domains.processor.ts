import { Injectable } from '@nestjs/common';
import { Handles } from '../../../platform/background/handles.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import type { ProjectDeletedPayload } from '../../projects/project-deleted.job.js';
import { DomainsService } from '../claims/domains.service.js';
import { domainProjectDeletedSubscription } from './domains.job.js';

@Injectable()
@Handles(domainProjectDeletedSubscription)
export class DeletedProjectDomainsProcessor implements JobHandler<ProjectDeletedPayload> {
  constructor(private readonly domains: DomainsService) {}

  handle({ projectId }: ProjectDeletedPayload): Promise<void> {
    return this.domains.removeProject(projectId);
  }
}
