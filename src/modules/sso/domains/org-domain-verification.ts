import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { AttemptsService } from '../../auth/attempts.service.js';
import type { Call } from '../../auth/caller.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { OrgOfPath } from '../../orgs/org-of-path.js';
import { SsoGate } from '../access/sso-gate.js';
import { OrgDomainsStore } from '../persistence/org-domains.store.js';
import { OrgDomainNotFound } from '../sso.errors.js';
import type { OrgDomain } from './org-domain.js';
import { OrgDomainChecks } from './org-domain-checks.js';

/** Each check asks name servers. */
const CHECKS = { name: 'org_domain_checks', attempts: 20, periodSeconds: 60, Refusal: TooManyAttempts };

/** Checks a domain when a person asks. */
@Injectable()
export class OrgDomainVerification {
  constructor(
    private readonly database: Database,
    private readonly paths: OrgOfPath,
    private readonly gate: SsoGate,
    private readonly domains: OrgDomainsStore,
    private readonly checks: OrgDomainChecks,
    private readonly attempts: AttemptsService,
  ) {}

  /**
   * Looks up the record now and returns the domain in its new status.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {OrgDomainNotFound} `org_domain_not_found`
   * @throws {TooManyAttempts} `burst_limit_exceeded`: 20 a minute for each organization.
   * @throws {DomainTaken} `domain_taken`
   */
  async verify(call: Call, orgIdOrSlug: string, id: string): Promise<OrgDomain> {
    const { id: orgId } = this.paths.require(call, orgIdOrSlug, 'orgs:write');
    // No transaction may be open while name servers are asked.
    const domain = await this.database.apart(async () => {
      await this.gate.require(orgId);
      return this.domains.find(orgId, id);
    });
    if (domain === undefined) throw new OrgDomainNotFound();
    await this.attempts.count(CHECKS, orgId);
    const checked = await this.checks.check(domain, call);
    if (checked === undefined) throw new OrgDomainNotFound();
    return checked;
  }
}
