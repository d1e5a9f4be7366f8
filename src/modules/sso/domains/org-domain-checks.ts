import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { challengeHostOf, challengeValueOf } from '../../dns/domain-challenge.js';
import { RecordLookup } from '../../dns/record-lookup.js';
import { orgDomainNoticeJob } from '../jobs/org-domain-notice.job.js';
import { OrgDomainsStore } from '../persistence/org-domains.store.js';
import { DomainTaken } from '../sso.errors.js';
import { type ChallengeFinding, checked, isDue, type OrgDomain, takenOver } from './org-domain.js';
import { OrgDomainHistory } from './org-domain-history.js';

/** True when the zone shows the token. Undefined when the name servers could not be asked. */
type Shown = ((token: string) => boolean) | undefined;

/** Checks domains against their records. It asks name servers, so no transaction may be open. */
@Injectable()
export class OrgDomainChecks {
  constructor(
    private readonly database: Database,
    private readonly lookup: RecordLookup,
    private readonly domains: OrgDomainsStore,
    private readonly history: OrgDomainHistory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Looks the record of a domain up and applies what was found. Returns the domain afterwards, or undefined when it was
   * removed meanwhile. `call` is undefined for a scheduled check, which does nothing when another one came first.
   *
   * @throws {DomainTaken} `domain_taken`: the record is there, but another organization has verified the name.
   */
  async check({ id, name }: OrgDomain, call: Call | undefined): Promise<OrgDomain | undefined> {
    const shown = await this.lookUp(name);
    return this.database.transaction(async () => {
      const claims = await this.domains.lockClaims(name);
      const domain = claims.find((claim) => claim.id === id);
      const at = this.clock.now();
      if (domain === undefined || (call === undefined && !isDue(domain, at))) return domain;
      const finding = findingOf(shown, domain);
      const after = checked(domain, { finding, isScheduled: call === undefined, at });
      if (domain.status === 'pending' && after.status === 'verified')
        await this.takeFrom(
          claims.find((claim) => claim.id !== id && claim.status !== 'pending'),
          shown,
        );
      await this.domains.save(after);
      if (after.status !== domain.status) await this.report(after, call);
      return after;
    });
  }

  private async lookUp(name: string): Promise<Shown> {
    const values = await this.lookup.find(challengeHostOf({ base: name }), 'TXT');
    if (values === undefined) return undefined;
    return (token) => values.some((value) => value.trim() === challengeValueOf(token));
  }

  /** A name that another organization has verified stays there. One that it could not prove for weeks does not. */
  private async takeFrom(holder: OrgDomain | undefined, shown: Shown): Promise<void> {
    if (holder === undefined) return;
    if (holder.status === 'verified' || shown?.(holder.challengeToken) === true) throw new DomainTaken(holder.name);
    const lost = takenOver(holder);
    await this.domains.save(lost);
    await this.history.record(undefined, 'org_domain.lost', lost);
  }

  private async report(domain: OrgDomain, call: Call | undefined): Promise<void> {
    if (domain.status === 'verified') await this.history.record(call, 'org_domain.verified', domain);
    if (domain.status !== 'paused') return;
    await this.history.record(call, 'org_domain.paused', domain);
    await this.outbox.enqueue(orgDomainNoticeJob, { orgId: domain.orgId, domainId: domain.id });
  }
}

function findingOf(shown: Shown, { challengeToken }: OrgDomain): ChallengeFinding {
  if (shown === undefined) return 'unknown';
  return shown(challengeToken) ? 'proved' : 'absent';
}
