import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { ConnectionsOfOrg } from '../connections/connections-of-org.js';
import { OrgDomainsService } from '../domains/org-domains.service.js';
import { ssoOrgDeletedSubscription } from './sso.job.js';

@Injectable()
@Handles(ssoOrgDeletedSubscription)
export class SsoOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly domains: OrgDomainsService,
    private readonly connections: ConnectionsOfOrg,
  ) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    await this.connections.removeAll(orgId);
    await this.domains.removeOrg(orgId);
  }
}
