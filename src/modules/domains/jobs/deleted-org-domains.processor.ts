import { Injectable } from '@nestjs/common';
import { Handles } from '../../../platform/background/handles.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { DomainsService } from '../claims/domains.service.js';
import { domainOrgDeletedSubscription } from './domains.job.js';

@Injectable()
@Handles(domainOrgDeletedSubscription)
export class DeletedOrgDomainsProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(private readonly domains: DomainsService) {}

  handle({ orgId }: OrgDeletedPayload): Promise<void> {
    return this.domains.removeOrg(orgId);
  }
}
