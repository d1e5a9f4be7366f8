import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  BegunFlow,
  IssuedScimToken,
  NewScimToken,
  ScimToken,
  NewSsoConnection,
  OrgDomain,
  SsoConnection,
  SsoConnectionChange,
  TestedSsoConnection,
} from './types.js';

/** Single sign-on of organizations. `org` is an id or a slug. All of it needs a session and `orgs:write`. */
export interface Sso {
  readonly domains: SsoDomains;
  readonly connections: SsoConnections;
  readonly scimTokens: ScimTokens;
}

/** Domains of the email addresses of an organization, which its connections speak for. */
export interface SsoDomains {
  /** Lists the domains, newest first. Needs `orgs:read`. */
  list(org: string, query?: ListQuery, options?: RequestOptions): Listing<OrgDomain>;

  /**
   * Adds a domain. It counts once its `record` is set and {@link verify} finds it.
   *
   * @throws {ValidationError} `invalid_request`: the name cannot be a domain of an organization.
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {AuthorizationError} `feature_not_in_plan`.
   * @throws {ConflictError} `already_exists`, `domain_taken`, `org_domain_limit_reached`.
   */
  create(org: string, name: string, options?: RequestOptions): Promise<OrgDomain>;

  /**
   * Checks the record now, and resolves to the domain with what was found.
   *
   * @throws {ConflictError} `domain_taken`: another organization has verified it.
   * @throws {RateLimitError} `burst_limit_exceeded`: 20 checks a minute for each organization.
   */
  verify(org: string, domainId: string, options?: RequestOptions): Promise<OrgDomain>;

  /** @throws {NotFoundError} `org_domain_not_found`. */
  delete(org: string, domainId: string, options?: RequestOptions): Promise<void>;
}

/** Connections to identity providers. Writes need a recent sign-in. */
export interface SsoConnections {
  /** Lists the connections, newest first. */
  list(org: string, query?: ListQuery, options?: RequestOptions): Listing<SsoConnection>;

  /**
   * Creates a draft. The issuer or the metadata URL is read at once.
   *
   * @throws {ValidationError} `invalid_request`: the provider cannot be used.
   * @throws {AuthorizationError} `feature_not_in_plan`.
   */
  create(org: string, connection: NewSsoConnection, options?: RequestOptions): Promise<SsoConnection>;

  /** @throws {NotFoundError} `sso_connection_not_found`. */
  get(org: string, connectionId: string, options?: RequestOptions): Promise<SsoConnection>;

  /** Updates the given fields. Changes of who the provider is make it a draft again, which lets nobody in. */
  update(
    org: string,
    connectionId: string,
    change: SsoConnectionChange,
    options?: RequestOptions,
  ): Promise<SsoConnection>;

  /** Deletes it, and ends the sessions that came through it. */
  delete(org: string, connectionId: string, options?: RequestOptions): Promise<void>;

  /** Begins a test, as `auth.beginFlow` does. */
  beginTest(
    org: string,
    connectionId: string,
    test: { readonly return_to: string; readonly challenge: string },
    options?: RequestOptions,
  ): Promise<BegunFlow>;

  /**
   * Completes a test. The connection can be activated then.
   *
   * @throws {ValidationError} `invalid_flow`: begin again.
   */
  completeTest(
    org: string,
    connectionId: string,
    shown: { readonly flow_id: string; readonly code: string; readonly verifier: string },
    options?: RequestOptions,
  ): Promise<TestedSsoConnection>;

  /**
   * Lets people sign in through it.
   *
   * @throws {ConflictError} `connection_not_tested`, `domain_not_verified`.
   */
  activate(org: string, connectionId: string, options?: RequestOptions): Promise<SsoConnection>;

  /** Lets nobody sign in through it until it is activated again. */
  pause(org: string, connectionId: string, options?: RequestOptions): Promise<SsoConnection>;
}

/** Tokens with which the identity provider of a connection adds and removes people by SCIM 2.0. */
export interface ScimTokens {
  /** Lists them all, newest first, without the tokens themselves. */
  list(org: string, connectionId: string, options?: RequestOptions): Promise<readonly ScimToken[]>;

  /**
   * Creates one, which is returned once.
   *
   * @throws {ValidationError} `invalid_request`: a connection can have five.
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {AuthorizationError} `feature_not_in_plan`.
   */
  create(org: string, connectionId: string, token: NewScimToken, options?: RequestOptions): Promise<IssuedScimToken>;

  /**
   * Revokes one. People that it added stay.
   *
   * @throws {NotFoundError} `scim_token_not_found`.
   */
  revoke(org: string, connectionId: string, tokenId: string, options?: RequestOptions): Promise<void>;
}

export const ssoOf = (transport: Transport): Sso => ({
  domains: methodsOf<SsoDomains>(transport, {
    list: 'list orgs/:/domains',
    create: 'post orgs/:/domains name',
    verify: 'post orgs/:/domains/:/verify -',
    delete: 'delete orgs/:/domains/:',
  }),
  connections: methodsOf<SsoConnections>(transport, {
    list: 'list orgs/:/sso/connections',
    create: 'post orgs/:/sso/connections',
    get: 'get orgs/:/sso/connections/:',
    update: 'patch orgs/:/sso/connections/:',
    delete: 'delete orgs/:/sso/connections/:',
    beginTest: 'post orgs/:/sso/connections/:/test',
    completeTest: 'post orgs/:/sso/connections/:/test/complete',
    activate: 'post orgs/:/sso/connections/:/activate -',
    pause: 'post orgs/:/sso/connections/:/pause -',
  }),
  scimTokens: methodsOf<ScimTokens>(transport, {
    list: 'get orgs/:/sso/connections/:/scim-tokens',
    create: 'post orgs/:/sso/connections/:/scim-tokens',
    revoke: 'delete orgs/:/sso/connections/:/scim-tokens/:',
  }),
});
