import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { DomainInUse, DomainNameRefused, DomainNotFound } from '../domains.errors.js';
import { DomainNames } from '../names/domain-names.js';
import type { Domain, DomainChoices } from '../persistence/domain.entity.js';
import { DomainsStore } from '../persistence/domains.store.js';
import { DomainRegistry } from './domain-registry.js';
import { DomainServing } from './domain-serving.js';

export interface CreateDomainInput {
  readonly name: string;
  readonly choices: DomainChoices;
  /** Also adds `www.` before the name, as a redirect to it. */
  readonly withWww: boolean;
}

/** The domains of projects. */
@Injectable()
export class DomainsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly orgs: OrgDirectory,
    private readonly names: DomainNames,
    private readonly registry: DomainRegistry,
    private readonly domains: DomainsStore,
    private readonly serving: DomainServing,
  ) {}

  /**
   * Adds a domain to a project. It is not served before its records are verified.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {DomainNameRefused} `invalid_request`
   * @throws as {@link DomainRegistry.add}.
   */
  create(call: Call, projectIdOrSlug: string, { name: typed, choices, withWww }: CreateDomainInput): Promise<Domain> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, projectIdOrSlug, 'projects:write');
      const name = this.names.read(typed);
      const redirectTo = await this.redirectOf(project, name.ascii, choices.redirectTo);
      const domain = await this.registry.add(project, name, { ...choices, redirectTo });
      await this.record(call, 'domain.added', domain);
      if (withWww) {
        if (name.isWildcard) throw new DomainNameRefused('name', WWW_OF_WILDCARD);
        const www = await this.registry.add(project, this.names.read(`www.${name.ascii}`), {
          ...choices,
          redirectTo: name.ascii,
        });
        await this.record(call, 'domain.added', www);
      }
      return domain;
    });
  }

  /** Lists the domains of a project, newest first. @throws as {@link get}. */
  async list(call: Call, projectIdOrSlug: string, page: PageRequest): Promise<Page<Domain>> {
    const project = await this.projects.get(call, projectIdOrSlug, 'projects:read');
    return this.domains.list(project.id, page);
  }

  /**
   * Returns a domain by its id, or by its name in any spelling.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {DomainNotFound} `domain_not_found`
   */
  async get(call: Call, projectIdOrSlug: string, idOrName: string, scope: Scope): Promise<Domain> {
    return this.findIn(await this.projects.get(call, projectIdOrSlug, scope), idOrName);
  }

  /**
   * Changes what the owner chooses.
   *
   * @throws as {@link get}.
   * @throws {DomainNameRefused} `invalid_request`
   */
  change(call: Call, projectIdOrSlug: string, idOrName: string, choices: Partial<DomainChoices>): Promise<Domain> {
    return this.database.transaction(async () => {
      const { project, domain } = await this.lock(call, projectIdOrSlug, idOrName);
      const redirect =
        choices.redirectTo === undefined
          ? {}
          : { redirectTo: await this.redirectOf(project, domain.name, choices.redirectTo) };
      const changed = domain.choose({ ...choices, ...redirect });
      if (changed.length === 0) return domain;
      await this.domains.save(domain);
      if (domain.isHeld) await this.serving.update(domain);
      await this.record(call, 'domain.changed', domain, { changed: changed.map((field) => FIELDS[field]) });
      return domain;
    });
  }

  /**
   * Removes a domain from its project, which no longer serves it and can get no certificate for it.
   *
   * @throws as {@link get}.
   * @throws {DomainInUse} `domain_in_use`
   */
  remove(call: Call, projectIdOrSlug: string, idOrName: string): Promise<void> {
    return this.database.transaction(async () => {
      const { domain } = await this.lock(call, projectIdOrSlug, idOrName);
      const redirecting = await this.domains.redirectingTo(domain.projectId, domain.name);
      if (redirecting.length > 0)
        throw new DomainInUse(
          domain.name,
          redirecting.map(({ name }) => name),
        );
      await this.removeOne(domain);
      await this.record(call, 'domain.removed', domain);
    });
  }

  /** Removes the domains of a deleted project, so that its names are free. It is safe to call this again. */
  removeProject(projectId: string): Promise<void> {
    return this.database.transaction(async () => {
      for (const domain of await this.domains.ofProject(projectId)) await this.removeLocked(domain);
    });
  }

  /** Removes the domains of a deleted organization. It is safe to call this again. */
  removeOrg(orgId: string): Promise<void> {
    return this.database.transaction(async () => {
      for (const domain of await this.domains.ofOrg(orgId)) await this.removeLocked(domain);
    });
  }

  private async removeLocked({ id, name }: Domain): Promise<void> {
    const domain = (await this.domains.lockClaims(name)).find((claim) => claim.id === id);
    if (domain !== undefined) await this.removeOne(domain);
  }

  private async removeOne(domain: Domain): Promise<void> {
    // A claim that is not held serves nothing, and the name may be served for the organization that holds it.
    if (domain.isHeld) await this.serving.release(domain);
    await this.domains.remove(domain.id);
  }

  private async lock(
    call: Call,
    projectIdOrSlug: string,
    idOrName: string,
  ): Promise<{ project: Project; domain: Domain }> {
    const project = await this.projects.lock(call, projectIdOrSlug, 'projects:write');
    const { id, name } = await this.findIn(project, idOrName);
    const domain = (await this.domains.lockClaims(name)).find((claim) => claim.id === id);
    if (domain === undefined) throw new DomainNotFound();
    return { project, domain };
  }

  private async findIn({ id }: Project, idOrName: string): Promise<Domain> {
    const key = ID_FORM.test(idOrName) ? idOrName : this.names.find(idOrName)?.ascii;
    const domain = key === undefined ? null : await this.domains.find(id, key);
    if (domain === null) throw new DomainNotFound();
    return domain;
  }

  /** A redirect leads to another domain of the project, which redirects no further, so that none ends in a circle. */
  private async redirectOf({ id }: Project, name: string, typed: string | null): Promise<string | null> {
    if (typed === null) return null;
    const target = this.names.read(typed, 'redirect_to');
    if (target.ascii === name) throw new DomainNameRefused('redirect_to', REDIRECT_TO_ITSELF);
    const found = target.isWildcard ? null : await this.domains.find(id, target.ascii);
    if (found === null) throw new DomainNameRefused('redirect_to', REDIRECT_TO_UNKNOWN);
    const isChain = found.redirectTo !== null || (await this.domains.redirectingTo(id, name)).length > 0;
    if (isChain) throw new DomainNameRefused('redirect_to', REDIRECT_CHAIN);
    return target.ascii;
  }

  private record(
    call: Call,
    action: `domain.${string}`,
    { id, orgId, projectId, name }: Domain,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const facts = { project_id: projectId, name, ...details };
    return this.orgs.record({ orgId, action, target: { type: 'domain', id }, details: facts }, call);
  }
}

const ID_FORM = /^dom_[0-9a-z]{26}$/;
const FIELDS = { redirectTo: 'redirect_to', httpsRedirect: 'https_redirect', hsts: 'hsts' } as const;
const WWW_OF_WILDCARD = { code: 'is_not_wildcard', message: 'a wildcard has no www redirect' };
const REDIRECT_TO_ITSELF = { code: 'is_another_domain', message: 'a domain cannot redirect to itself' };
const REDIRECT_TO_UNKNOWN = {
  code: 'is_domain_of_project',
  message: 'redirect_to must be another domain of the project, and not a wildcard',
};
const REDIRECT_CHAIN = {
  code: 'is_not_chain',
  message: 'redirect_to must be a domain that does not redirect, and a domain that others redirect to cannot',
};
