import { Injectable } from '@nestjs/common';
import { CustomHostsService } from '../../hosting/custom-hosts.service.js';
import type { Domain } from '../persistence/domain.entity.js';
import { DomainsStore } from '../persistence/domains.store.js';

/** Reports to hosting which names it serves. All writes join the running transaction. */
@Injectable()
export class DomainServing {
  constructor(
    private readonly hosts: CustomHostsService,
    private readonly domains: DomainsStore,
  ) {}

  /** Serves the name, or stops to, as the domain's state and choices say. */
  async update(domain: Domain): Promise<void> {
    await this.updateOne(domain);
    await this.updateRedirecting(domain);
  }

  /** Stops serving the name of a domain that is about to be removed. */
  async release(domain: Domain): Promise<void> {
    await this.hosts.release(domain.name, domain.projectId);
  }

  private async updateOne(domain: Domain): Promise<void> {
    const { name, projectId, orgId, httpsRedirect, hsts, isServed } = domain;
    if (isServed)
      await this.hosts.serve(name, { projectId, orgId, httpsRedirect, hsts, redirectTo: await this.targetOf(domain) });
    else await this.hosts.release(name, projectId);
  }

  /** Visitors are only sent to a name that the project still holds: a lost one may have another owner by now. */
  private async targetOf({ projectId, redirectTo }: Domain): Promise<string | null> {
    if (redirectTo === null) return null;
    const target = await this.domains.find(projectId, redirectTo);
    return target?.isServed === true ? redirectTo : null;
  }

  private async updateRedirecting({ projectId, name }: Domain): Promise<void> {
    for (const domain of await this.domains.lockRedirectingTo(projectId, name))
      if (domain.isServed) await this.updateOne(domain);
  }
}
