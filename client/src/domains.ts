import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Domain, DomainChange, NewDomain } from './types.js';

/** Domains of projects. `project` is an id or a slug, `domain` an id or a name in any spelling. */
export class Domains {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the domains of a project, newest first. Needs `projects:read`. */
  list(project: string, query?: ListQuery, options?: RequestOptions): Listing<Domain> {
    return this.#transport.list(pathOf(project), query, options);
  }

  /**
   * Adds a domain to a project. It is served once its `records` are set and {@link verify} finds them. Needs
   * `projects:write`.
   *
   * @throws {ValidationError} `invalid_request`: the name cannot be a domain.
   * @throws {AuthorizationError} `feature_not_in_plan`: wildcards need the Enterprise plan.
   * @throws {ConflictError} `already_exists`, `domain_limit_reached`.
   */
  create(project: string, domain: NewDomain, options?: RequestOptions): Promise<Domain> {
    return this.#transport.post(pathOf(project), domain, options);
  }

  /** @throws {NotFoundError} `project_not_found`, `domain_not_found`. */
  get(project: string, domain: string, options?: RequestOptions): Promise<Domain> {
    return this.#transport.get(pathOf(project, domain), options);
  }

  /**
   * Checks the records now, and resolves to the domain with what was found. Needs `projects:write`.
   *
   * @throws {RateLimitError} `burst_limit_exceeded`: 20 checks a minute for each organization.
   */
  verify(project: string, domain: string, options?: RequestOptions): Promise<Domain> {
    return this.#transport.post(`${pathOf(project, domain)}/verify`, undefined, options);
  }

  /** Updates the given fields. null clears a redirect. Needs `projects:write`. */
  update(project: string, domain: string, change: DomainChange, options?: RequestOptions): Promise<Domain> {
    return this.#transport.patch(pathOf(project, domain), change, options);
  }

  /**
   * Removes a domain, which is no longer served at once. Needs `projects:write`.
   *
   * @throws {ConflictError} `domain_in_use`: another domain redirects to it.
   */
  delete(project: string, domain: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(project, domain), options);
  }
}

const pathOf = (project: string, domain?: string): string =>
  `/api/v1/projects/${encodeURIComponent(project)}/domains` +
  (domain === undefined ? '' : `/${encodeURIComponent(domain)}`);
