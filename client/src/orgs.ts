import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  AuditEntry,
  Invitation,
  Member,
  NewInvitation,
  NewOrganization,
  Organization,
  OrganizationChange,
  Role,
} from './types.js';

/** Organizations, their members and what was done in them. `org` is an id or a slug. */
export class Orgs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those that you are a member of and the key reaches. Needs `orgs:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Organization> {
    return this.#transport.list('/api/v1/orgs', query, options);
  }

  /**
   * Creates an organization, whose owner you are. Needs `orgs:write`.
   *
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  create(organization: NewOrganization, options?: RequestOptions): Promise<Organization> {
    return this.#transport.post('/api/v1/orgs', organization, options);
  }

  /**
   * @throws {NotFoundError} `organization_not_found`, also for one that you are no member of.
   * @throws {AuthorizationError} `key_org_mismatch`: the key is bound to another.
   */
  get(org: string, options?: RequestOptions): Promise<Organization> {
    return this.#transport.get(pathOf(org), options);
  }

  /** @throws {ConflictError} `already_exists`: the slug is taken. */
  update(org: string, change: OrganizationChange, options?: RequestOptions): Promise<Organization> {
    return this.#transport.patch(pathOf(org), change, options);
  }

  /**
   * Deletes an organization with all that it has. Its owners only.
   *
   * @throws {ConflictError} `personal_organization`: that one goes with the account.
   */
  delete(org: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(org), options);
  }

  /** Needs `orgs:read`. */
  members(org: string, query?: ListQuery, options?: RequestOptions): Listing<Member> {
    return this.#transport.list(`${pathOf(org)}/members`, query, options);
  }

  /** Sends an invitation by e-mail. Needs `orgs:members`. */
  invite(org: string, invitation: NewInvitation, options?: RequestOptions): Promise<Invitation> {
    return this.#transport.post(`${pathOf(org)}/members`, invitation, options);
  }

  /**
   * Gives a member another role. Needs `orgs:members`.
   *
   * @throws {ConflictError} `last_owner`: somebody must own it.
   */
  changeRole(org: string, userId: string, role: Role, options?: RequestOptions): Promise<Member> {
    return this.#transport.patch(`${pathOf(org)}/members/${encodeURIComponent(userId)}`, { role }, options);
  }

  /**
   * Takes a member out. Needs `orgs:members`, but for yourself.
   *
   * @throws {ConflictError} `last_owner`.
   */
  removeMember(org: string, userId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(`${pathOf(org)}/members/${encodeURIComponent(userId)}`, options);
  }

  /** Invitations that nobody has accepted yet. Needs `orgs:members`. */
  invitations(org: string, query?: ListQuery, options?: RequestOptions): Listing<Invitation> {
    return this.#transport.list(`${pathOf(org)}/invitations`, query, options);
  }

  /** Takes an invitation back. Needs `orgs:members`. */
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

  /** What was done in an organization, by whom, the latest first. Needs `audit:read`. */
  auditLog(org: string, query?: ListQuery, options?: RequestOptions): Listing<AuditEntry> {
    return this.#transport.list(`${pathOf(org)}/audit-log`, query, options);
  }
}

const pathOf = (org: string): string => `/api/v1/orgs/${encodeURIComponent(org)}`;
