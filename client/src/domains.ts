import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Domain, DomainChange, NewDomain } from './types.js';

/** Domains of projects. `project` is an id or a slug, `domain` an id or a name in any spelling. */
export interface Domains {
  /** Lists the domains of a project, newest first. Needs `projects:read`. */
  list(project: string, query?: ListQuery, options?: RequestOptions): Listing<Domain>;

  /**
   * Adds a domain to a project. It is served once its `records` are set and {@link verify} finds them. Needs
   * `projects:write`.
   *
   * @throws {ValidationError} `invalid_request`: the name cannot be a domain.
   * @throws {AuthorizationError} `feature_not_in_plan`: wildcards need the Enterprise plan.
   * @throws {ConflictError} `already_exists`, `domain_limit_reached`.
   */
  create(project: string, domain: NewDomain, options?: RequestOptions): Promise<Domain>;

  /** @throws {NotFoundError} `project_not_found`, `domain_not_found`. */
  get(project: string, domain: string, options?: RequestOptions): Promise<Domain>;

  /**
   * Checks the records now, and resolves to the domain with what was found. Needs `projects:write`.
   *
   * @throws {RateLimitError} `burst_limit_exceeded`: 20 checks a minute for each organization.
   */
  verify(project: string, domain: string, options?: RequestOptions): Promise<Domain>;

  /** Updates the given fields. null clears a redirect. Needs `projects:write`. */
  update(project: string, domain: string, change: DomainChange, options?: RequestOptions): Promise<Domain>;

  /**
   * Removes a domain, which is no longer served at once. Needs `projects:write`.
   *
   * @throws {ConflictError} `domain_in_use`: another domain redirects to it.
   */
  delete(project: string, domain: string, options?: RequestOptions): Promise<void>;
}

export const domainsOf = (transport: Transport): Domains =>
  methodsOf<Domains>(transport, {
    list: 'list projects/:/domains',
    create: 'post projects/:/domains',
    get: 'get projects/:/domains/:',
    verify: 'post projects/:/domains/:/verify -',
    update: 'patch projects/:/domains/:',
    delete: 'delete projects/:/domains/:',
  });
