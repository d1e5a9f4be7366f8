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
  OrganizationChange,
  Role,
} from './types.js';

export interface EventOptions extends RequestOptions {
  /** Also the events of the last 24 hours after this `seq`; 0 for all. By default, only new ones arrive. */
  readonly after?: number | undefined;
  /** Called with true when the stream is open, and with false when its connection broke and is about to resume. */
  readonly onConnection?: ((isOpen: boolean) => void) | undefined;
}

/** Organizations, their members and their audit logs. `org` is an id or a slug. */
export class Orgs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the organizations that you are a member of and the key can reach. Needs `orgs:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Organization> {
    return this.#transport.list('/api/v1/orgs', query, options);
  }

  /**
   * Creates an organization that you own. Needs `orgs:write`.
   *
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  create(organization: NewOrganization, options?: RequestOptions): Promise<Organization> {
    return this.#transport.post('/api/v1/orgs', organization, options);
  }

  /**
   * @throws {NotFoundError} `organization_not_found`, also if you are not a member.
   * @throws {AuthorizationError} `key_org_mismatch`: the key is bound to another organization.
   */
  get(org: string, options?: RequestOptions): Promise<Organization> {
    return this.#transport.get(pathOf(org), options);
  }

  /** @throws {ConflictError} `already_exists`: the slug is taken. */
  update(org: string, change: OrganizationChange, options?: RequestOptions): Promise<Organization> {
    return this.#transport.patch(pathOf(org), change, options);
  }

  /**
   * Deletes an organization and everything in it. Only its owners may.
   *
   * @throws {ConflictError} `personal_organization`: it is deleted with the account.
   */
  delete(org: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(org), options);
  }

  /** Lists the members. Needs `orgs:read`. */
  members(org: string, query?: ListQuery, options?: RequestOptions): Listing<Member> {
    return this.#transport.list(`${pathOf(org)}/members`, query, options);
  }

  /** Sends an invitation by e-mail. Needs `orgs:members`. */
  invite(org: string, invitation: NewInvitation, options?: RequestOptions): Promise<Invitation> {
    return this.#transport.post(`${pathOf(org)}/members`, invitation, options);
  }

  /**
   * Changes the role of a member. Needs `orgs:members`.
   *
   * @throws {ConflictError} `last_owner`: an organization keeps at least one owner.
   */
  changeRole(org: string, userId: string, role: Role, options?: RequestOptions): Promise<Member> {
    return this.#transport.patch(`${pathOf(org)}/members/${encodeURIComponent(userId)}`, { role }, options);
  }

  /**
   * Removes a member. Needs `orgs:members`, unless you remove yourself.
   *
   * @throws {ConflictError} `last_owner`.
   */
  removeMember(org: string, userId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(`${pathOf(org)}/members/${encodeURIComponent(userId)}`, options);
  }

  /** Lists the pending invitations. Needs `orgs:members`. */
  invitations(org: string, query?: ListQuery, options?: RequestOptions): Listing<Invitation> {
    return this.#transport.list(`${pathOf(org)}/invitations`, query, options);
  }

  /** Revokes an invitation. Needs `orgs:members`. */
  cancelInvitation(org: string, invitationId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(`${pathOf(org)}/invitations/${encodeURIComponent(invitationId)}`, options);
  }

  /**
   * Accepts an invitation with the token from the e-mail. Needs a session.
   *
   * @throws {ValidationError} `invalid_email_token`.
   */
  acceptInvitation(token: string, options?: RequestOptions): Promise<Organization> {
    return this.#transport.post('/api/v1/invitations/accept', { token }, options);
  }

  /** Lists the audit log of an organization, newest first. Needs `audit:read`. */
  auditLog(org: string, query?: ListQuery, options?: RequestOptions): Listing<AuditEntry> {
    return this.#transport.list(`${pathOf(org)}/audit-log`, query, options);
  }

  /**
   * Yields what happens in the organization, until its `signal` is aborted. If the connection breaks, it resumes after
   * the last event. Only events that your scopes allow arrive.
   *
   * @throws {NotFoundError} `organization_not_found`.
   */
  async *events(
    orgId: string,
    { after, onConnection, ...options }: EventOptions = {},
  ): AsyncGenerator<OrgEvent, never, undefined> {
    const path = `/api/v1/orgs/${encodeURIComponent(orgId)}/events`;
    for (let from = after; ;)
      from = (yield* this.#transport.follow<OrgEvent, { readonly after: number }>(path, from, options, onConnection))
        .after;
  }
}

const pathOf = (org: string): string => `/api/v1/orgs/${encodeURIComponent(org)}`;
