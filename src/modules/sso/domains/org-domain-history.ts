import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { OrgDomain } from './org-domain.js';

/** Writes what happens to domains to the audit logs of their organizations. */
@Injectable()
export class OrgDomainHistory {
  constructor(private readonly orgs: OrgDirectory) {}

  /** Joins the running transaction. `call` is undefined when the service itself acted. */
  async record(
    call: Call | undefined,
    action: `org_domain.${'added' | 'verified' | 'paused' | 'lost' | 'removed'}`,
    { id, orgId, name }: OrgDomain,
  ): Promise<void> {
    await this.orgs.record({ orgId, action, target: { type: 'org_domain', id }, details: { name } }, call);
  }
}
