import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { DomainMetrics } from '../metrics/domains.metrics.js';
import type { Domain } from '../persistence/domain.entity.js';
import { DomainsStore } from '../persistence/domains.store.js';
import { DomainObserver, type FullObservation } from '../records/domain-observer.js';
import { DomainServing } from './domain-serving.js';

/**
 * Checks domains against their records. A name is held by one organization: the one whose token the zone shows. Where
 * it shows those of two, the holder keeps it, because the owner of the zone can remove either.
 */
@Injectable()
export class DomainChecks {
  constructor(
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly domains: DomainsStore,
    private readonly observer: DomainObserver,
    private readonly serving: DomainServing,
    private readonly metrics: DomainMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Looks the records of a domain up and applies what was found. Returns the domain afterwards, or null when it was
   * removed meanwhile. `call` is undefined when the service itself checks.
   */
  async check(domain: Domain, call: Call | undefined): Promise<Domain | null> {
    try {
      const checked = await this.observeAndApply(domain, call);
      if (checked !== null) this.metrics.checked(checked.problem ?? 'ok');
      return checked;
    } catch (error) {
      this.metrics.checked('error');
      throw error;
    }
  }

  private async observeAndApply(
    { id, orgId, name, challengeToken, isWildcard }: Domain,
    call: Call | undefined,
  ): Promise<Domain | null> {
    const found = await this.observer.observe(name, challengeToken);
    const observation = isWildcard && !(await this.allowsWildcards(orgId)) ? withoutPlan(found) : found;
    return this.database.transaction(async () => {
      const claims = await this.domains.lockClaims(name);
      const domain = claims.find((claim) => claim.id === id);
      if (domain === undefined) return null;
      const holder = claims.find((claim) => claim.id !== id && claim.isHeld);
      await this.apply(domain, holder, observation, call);
      return domain;
    });
  }

  private async apply(
    domain: Domain,
    holder: Domain | undefined,
    observation: FullObservation,
    call: Call | undefined,
  ): Promise<void> {
    const at = this.clock.now();
    const before = domain.state;
    if (holder !== undefined && observation.isProved && observation.shows(holder.challengeToken)) {
      domain.refused(observation, at);
    } else {
      if (holder !== undefined && observation.isProved && !observation.isUnknown) await this.takeFrom(holder, at);
      domain.checked(observation, at);
    }
    await this.domains.save(domain);
    // A pending claim serves nothing, and the name may be served for the organization that holds it.
    if (domain.isHeld || domain.state !== before) await this.serving.update(domain);
    if (domain.state === before) return;
    await this.record(domain, domain.isHeld ? `domain.${domain.state}` : 'domain.lost', call);
  }

  private async takeFrom(holder: Domain, at: Date): Promise<void> {
    holder.lose('taken_over', at);
    await this.domains.save(holder);
    await this.serving.update(holder);
    await this.record(holder, 'domain.lost', undefined);
  }

  private async allowsWildcards(orgId: string): Promise<boolean> {
    return PLANS[(await this.orgs.planOf(orgId)) ?? 'free'].features.wildcard_domains;
  }

  private record(
    { id, orgId, projectId, name, problem }: Domain,
    action: `domain.${string}`,
    call: Call | undefined,
  ): Promise<void> {
    const details = { project_id: projectId, name, ...(problem === null ? {} : { problem }) };
    return this.orgs.record({ orgId, action, target: { type: 'domain', id }, details }, call);
  }
}

/** Counts as a failed check, so that a wildcard ends some time after the plan that includes it. */
const withoutPlan = (observation: FullObservation): FullObservation => ({
  ...observation,
  isUnknown: false,
  isProved: false,
  problem: 'wildcards_not_in_plan',
});
