import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgOfPath } from '../../orgs/org-of-path.js';
import { SsoGate } from '../access/sso-gate.js';
import { OrgDomainsStore } from '../persistence/org-domains.store.js';
import { DomainTaken, OrgDomainAlreadyAdded, OrgDomainNotFound, TooManyOrgDomains } from '../sso.errors.js';
import { ORG_DOMAIN_ID } from '../sso.ids.js';
import { claimed, type OrgDomain } from './org-domain.js';
import { OrgDomainHistory } from './org-domain-history.js';
import { readOrgDomainName } from './org-domain-name.js';

/** More than any organization needs, and few enough for all to be checked. */
const MOST_IN_AN_ORG = 20;
/** 160 bits cannot be guessed. */
const TOKEN_BYTES = 20;

/** The domains of organizations, whose people sign in by SSO. */
@Injectable()
export class OrgDomainsService {
  constructor(
    private readonly database: Database,
    private readonly paths: OrgOfPath,
    private readonly gate: SsoGate,
    private readonly domains: OrgDomainsStore,
    private readonly history: OrgDomainHistory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a claim, which other organizations may have to the same name as long as none has verified it.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {OrgDomainNameRefused} `invalid_request`
   * @throws {OrgDomainAlreadyAdded} `already_exists`
   * @throws {TooManyOrgDomains} `org_domain_limit_reached`
   * @throws {DomainTaken} `domain_taken`
   */
  add(call: Call, orgIdOrSlug: string, typed: string): Promise<OrgDomain> {
    const { id: orgId } = this.paths.require(call, orgIdOrSlug, 'orgs:write');
    return this.database.transaction(async () => {
      await this.gate.lock(call, orgId);
      const name = readOrgDomainName(typed);
      await this.requireRoom(orgId, name);
      const facts = { id: this.ids.next(ORG_DOMAIN_ID), orgId, name, challengeToken: newToken() };
      const domain = claimed(facts, this.clock.now());
      await this.domains.insert(domain);
      await this.history.record(call, 'org_domain.added', domain);
      return domain;
    });
  }

  /**
   * Lists the domains of an organization, newest first.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  list(call: Call, orgIdOrSlug: string, page: PageRequest): Promise<Page<OrgDomain>> {
    return this.domains.list(this.paths.require(call, orgIdOrSlug, 'orgs:read').id, page);
  }

  /**
   * Removes a domain, which other organizations may have then. It needs no plan, so that a name can always be freed.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {OrgDomainNotFound} `org_domain_not_found`
   */
  async remove(call: Call, orgIdOrSlug: string, id: string): Promise<void> {
    const { id: orgId } = this.paths.require(call, orgIdOrSlug, 'orgs:write');
    await this.database.transaction(async () => {
      const domain = await this.domains.find(orgId, id);
      if (domain === undefined || !(await this.domains.remove(id))) throw new OrgDomainNotFound();
      await this.history.record(call, 'org_domain.removed', domain);
    });
  }

  /** Removes the domains of a deleted organization, so that its names are free. It is safe to call this again. */
  removeOrg(orgId: string): Promise<void> {
    return this.domains.removeOf(orgId);
  }

  /** The organization is locked, so that the count stays right until the transaction ends. */
  private async requireRoom(orgId: string, name: string): Promise<void> {
    const own = await this.domains.namesOf(orgId);
    if (own.includes(name)) throw new OrgDomainAlreadyAdded(name);
    if (own.length >= MOST_IN_AN_ORG) throw new TooManyOrgDomains(MOST_IN_AN_ORG);
    if ((await this.domains.findVerified(name)) !== undefined) throw new DomainTaken(name);
  }
}

const newToken = (): string => randomBytes(TOKEN_BYTES).toString('hex');
