import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  AuditEntry,
  Invitation,
  Member,
  NewInvitation,
  NewOrganization,
  Organization,
  OrgEvent,
  OrgGrant,
  OrganizationChange,
  Role,
} from './types.js';

export interface EventOptions extends RequestOptions {
  /** Also the events of the last 24 hours after this `seq`; 0 for all. By default, only new ones arrive. */
  readonly after?: number | undefined;
  /** Called with true when the stream is open, and with false when its connection broke and is about to resume. */
  readonly onConnection?: ((isOpen: boolean) => void) | undefined;
}

/** A part of an audit log, in RFC 3339. */
export interface AuditPeriod {
  /** The beginning of the log by default. */
  readonly from?: string | undefined;
  /** Excluded; now by default. */
  readonly to?: string | undefined;
}

/** Organizations, their members and their audit logs. `org` is an id or a slug. */
export interface Orgs extends OrgCalls {
  /**
   * Yields what happens in the organization, until its `signal` is aborted. If the connection breaks, it resumes after
   * the last event. Only events that your scopes allow arrive.
   *
   * @throws {NotFoundError} `organization_not_found`.
   */
  events(orgId: string, options?: EventOptions): AsyncGenerator<OrgEvent, never, undefined>;
}

interface OrgCalls {
  /** Lists the organizations that you are a member of and the key can reach. Needs `orgs:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Organization>;

  /**
   * Creates an organization that you own. Needs `orgs:write`.
   *
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  create(organization: NewOrganization, options?: RequestOptions): Promise<Organization>;

  /**
   * @throws {NotFoundError} `organization_not_found`, also if you are not a member.
   * @throws {AuthorizationError} `key_org_mismatch`: the key is bound to another organization.
   */
  get(org: string, options?: RequestOptions): Promise<Organization>;

  /**
   * Changes the names and the policies of an organization. `key_lifetime_days: null` removes that limit. Needs
   * `orgs:write`.
   *
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  update(org: string, change: OrganizationChange, options?: RequestOptions): Promise<Organization>;

  /**
   * Deletes an organization and everything in it. Only its owners may.
   *
   * @throws {ConflictError} `personal_organization`: it is deleted with the account.
   */
  delete(org: string, options?: RequestOptions): Promise<void>;

  /** Lists the members. Needs `orgs:read`. */
  members(org: string, query?: ListQuery, options?: RequestOptions): Listing<Member>;

  /** Sends an invitation by e-mail. Needs `orgs:members`. */
  invite(org: string, invitation: NewInvitation, options?: RequestOptions): Promise<Invitation>;

  /**
   * Changes the role of a member. Needs `orgs:members`.
   *
   * @throws {ConflictError} `last_owner`: an organization keeps at least one owner.
   */
  changeRole(org: string, userId: string, role: Role, options?: RequestOptions): Promise<Member>;

  /**
   * Removes a member. Needs `orgs:members`, unless you remove yourself.
   *
   * @throws {ConflictError} `last_owner`.
   */
  removeMember(org: string, userId: string, options?: RequestOptions): Promise<void>;

  /** Lists the pending invitations. Needs `orgs:members`. */
  invitations(org: string, query?: ListQuery, options?: RequestOptions): Listing<Invitation>;

  /** Revokes an invitation. Needs `orgs:members`. */
  cancelInvitation(org: string, invitationId: string, options?: RequestOptions): Promise<void>;

  /**
   * Accepts an invitation with the token from the e-mail. Needs a session.
   *
   * @throws {ValidationError} `invalid_email_token`.
   */
  acceptInvitation(token: string, options?: RequestOptions): Promise<Organization>;

  /** Lists the OAuth clients that members gave access to the organization. Needs `orgs:members`. */
  grants(org: string, query?: ListQuery, options?: RequestOptions): Listing<OrgGrant>;

  /**
   * Ends the access of an OAuth client to the organization, at its next call. Needs `orgs:members`.
   *
   * @throws {NotFoundError} `grant_not_found`.
   */
  endGrant(org: string, grantId: string, options?: RequestOptions): Promise<void>;

  /** Lists the audit log of an organization, newest first. Needs `audit:read`. */
  auditLog(org: string, query?: ListQuery, options?: RequestOptions): Listing<AuditEntry>;

  /**
   * Yields the audit log of an organization or a period of it, oldest first, as it arrives, and returns the number of
   * entries. Needs `audit:read`. Nothing is repeated when the connection breaks: start again.
   *
   * @throws {NotFoundError} `organization_not_found`.
   * @throws {TypeError} when the connection broke before the end.
   */
  exportAuditLog(
    org: string,
    period?: AuditPeriod,
    options?: RequestOptions,
  ): AsyncGenerator<AuditEntry, { readonly entries: number }, undefined>;
}

export const orgsOf = (transport: Transport): Orgs => ({
  ...methodsOf<OrgCalls>(transport, {
    list: 'list orgs',
    create: 'post orgs',
    get: 'get orgs/:',
    update: 'patch orgs/:',
    delete: 'delete orgs/:',
    members: 'list orgs/:/members',
    invite: 'post orgs/:/members',
    changeRole: 'patch orgs/:/members/: role',
    removeMember: 'delete orgs/:/members/:',
    invitations: 'list orgs/:/invitations',
    cancelInvitation: 'delete orgs/:/invitations/:',
    acceptInvitation: 'post invitations/accept token',
    grants: 'list orgs/:/grants',
    endGrant: 'delete orgs/:/grants/:',
    auditLog: 'list orgs/:/audit-log',
    exportAuditLog: 'read orgs/:/audit-log/export',
  }),
  async *events(orgId, { after, onConnection, ...options } = {}) {
    const path = `/api/v1/orgs/${encodeURIComponent(orgId)}/events`;
    for (let from = after; ;)
      from = (yield* transport.follow<OrgEvent, { readonly after: number }>(path, from, options, onConnection)).after;
  },
});
