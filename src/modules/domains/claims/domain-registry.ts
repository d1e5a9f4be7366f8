import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { DomainName } from '../../dns/domain-name.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { requireFeature } from '../../plans/feature-not-in-plan.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import type { Project } from '../../projects/projects.service.js';
import { DomainAlreadyAdded, TooManyDomains } from '../domains.errors.js';
import { DOMAIN_ID } from '../domains.ids.js';
import { Domain, type DomainChoices } from '../persistence/domain.entity.js';
import { DomainsStore } from '../persistence/domains.store.js';

/** More than any project needs, and few enough for all to be checked and shown. */
const MOST_IN_A_PROJECT = 50;
/** 160 bits cannot be guessed. */
const TOKEN_BYTES = 20;

/** Adds domains to projects. The project is locked by the caller, in the running transaction. */
@Injectable()
export class DomainRegistry {
  constructor(
    private readonly domains: DomainsStore,
    private readonly orgs: OrgDirectory,
    private readonly planSettings: PlansSettings,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a claim, which other organizations may have to the same name as long as none is proved.
   *
   * @throws {FeatureNotInPlan} `feature_not_in_plan`: a wildcard.
   * @throws {DomainAlreadyAdded} `already_exists`
   * @throws {TooManyDomains} `domain_limit_reached`
   */
  async add({ id: projectId, orgId }: Project, name: DomainName, choices: DomainChoices): Promise<Domain> {
    if (name.isWildcard) requireFeature('wildcard_domains', await this.planOf(orgId), this.planSettings.pricingUrl);
    const existing = await this.domains.findClaim(orgId, name.ascii);
    if (existing !== null) throw new DomainAlreadyAdded(name.ascii, existing.projectId);
    if ((await this.domains.count(projectId)) >= MOST_IN_A_PROJECT) throw new TooManyDomains(MOST_IN_A_PROJECT);
    const facts = {
      id: this.ids.next(DOMAIN_ID),
      orgId,
      projectId,
      name: name.ascii,
      challengeToken: await this.tokenFor(orgId, name),
    };
    const domain = Domain.claim(facts, choices, this.clock.now());
    await this.domains.insert(domain);
    return domain;
  }

  /** Names that one record proves share its token. It differs between organizations. */
  private async tokenFor(orgId: string, { base }: DomainName): Promise<string> {
    const known = await this.domains.tokenOf(orgId, [base, `www.${base}`, `*.${base}`]);
    return known ?? randomBytes(TOKEN_BYTES).toString('hex');
  }

  private async planOf(orgId: string): Promise<(typeof PLANS)['free']> {
    return PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
  }
}
