import { Injectable } from '@nestjs/common';
import { OrgDomainsStore } from '../persistence/org-domains.store.js';
import type { OrgDomain } from './org-domain.js';
import { domainOfAddress, storedNameOf } from './org-domain-name.js';

/**
 * Says which domains organizations have verified. Pending and paused ones count for nothing, and a domain stands for
 * itself alone: `eu.acme.com` is not in `acme.com`.
 */
@Injectable()
export class VerifiedDomains {
  constructor(private readonly domains: OrgDomainsStore) {}

  /** Returns the organization that has verified the domain, in any spelling. */
  async orgIdOf(domain: string): Promise<string | undefined> {
    const name = storedNameOf(domain);
    return name === undefined ? undefined : (await this.domains.findVerified(name))?.orgId;
  }

  /** True when the email address is in a domain that the organization has verified. */
  async isOf(orgId: string, emailAddress: string): Promise<boolean> {
    const name = domainOfAddress(emailAddress);
    return name !== undefined && (await this.domains.findVerified(name))?.orgId === orgId;
  }

  /** Returns the verified domains of the organization, in the order of their names. */
  listVerified(orgId: string): Promise<OrgDomain[]> {
    return this.domains.verifiedOf(orgId);
  }
}
