import type { PlanId } from '../plans/plan.js';
import { KeyOrgMismatch, InsufficientScopes, OrgAccessDenied } from './access.errors.js';
import { type OrgRole, SCOPES_OF_ROLE } from './org-role.js';
import type { Scope } from './scopes.js';

export const KEY_KINDS = ['personal', 'select_orgs', 'org_bound'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface CallingUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

/** An organization that the caller belongs to, and as what. */
export interface OrgMembership {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanId;
  readonly role: OrgRole;
  /** The person's own. */
  readonly personal: boolean;
}

/** With what the caller showed who it is. */
export type Credential =
  | { readonly type: 'session'; readonly sessionId: string }
  | {
      readonly type: 'api_key';
      readonly keyId: string;
      readonly kind: KeyKind;
      readonly name: string;
      readonly prefix: string;
      readonly last4: string;
      readonly scopes: ReadonlySet<Scope>;
      readonly allowedIps: readonly string[];
      /** Of an org-bound key: its organization. */
      readonly boundOrgId?: string;
    };

interface Facts {
  readonly user: CallingUser;
  readonly credential: Credential;
  /** Those that both the person and the key reach. */
  readonly memberships: readonly OrgMembership[];
  /** The organization of a call that names none. */
  readonly homeOrgId: string;
}

/**
 * Who calls, and what they may do. Rights are role ∩ scopes ∩ the key's organizations, worked out for each call; the
 * plan is asked where a feature is used.
 */
export class Principal {
  readonly user: CallingUser;
  readonly credential: Credential;
  readonly memberships: readonly OrgMembership[];
  private readonly homeOrgId: string;
  private readonly byOrg = new Map<string, OrgMembership>();
  /** By organization; a principal never changes, a changed caller is another one. */
  private readonly rights = new Map<string, ReadonlySet<Scope>>();

  constructor({ user, credential, memberships, homeOrgId }: Facts) {
    this.user = user;
    this.credential = credential;
    this.memberships = memberships;
    this.homeOrgId = homeOrgId;
    for (const membership of memberships) {
      this.byOrg.set(membership.id, membership);
      this.byOrg.set(membership.slug, membership);
    }
  }

  /** The ids of every organization whose resources the caller may name: what a store asks for in its `WHERE`. */
  get orgIds(): string[] {
    return this.memberships.map(({ id }) => id);
  }

  /**
   * The organization of a call: the one it names, by id or slug, else the home of the credential.
   *
   * @throws {KeyOrgMismatch} `key_org_mismatch`: an org-bound key names another one, whether or not that exists.
   * @throws {OrgAccessDenied} `org_access_denied`: the caller does not belong to it, or its key does not reach it.
   */
  orgOf(named: string | undefined): OrgMembership {
    const wanted = named ?? this.homeOrgId;
    const membership = this.byOrg.get(wanted);
    if (membership !== undefined) return membership;
    this.requireBinding(wanted);
    const { credential } = this;
    throw new OrgAccessDenied(credential.type === 'api_key' ? credential.kind : undefined, wanted);
  }

  /** @throws {KeyOrgMismatch} `key_org_mismatch`: the key is bound to an organization, and another one is named. */
  requireBinding(named: string): void {
    const { credential } = this;
    if (credential.type !== 'api_key' || credential.boundOrgId === undefined) return;
    if (named !== credential.boundOrgId && this.byOrg.get(named)?.id !== credential.boundOrgId)
      throw new KeyOrgMismatch(credential.boundOrgId, named);
  }

  /** The membership in an organization that the caller reaches; undefined for any other. */
  membershipIn(orgId: string): OrgMembership | undefined {
    return this.byOrg.get(orgId);
  }

  /** What the caller may do there: nothing where it does not belong. */
  rightsIn(orgId: string): ReadonlySet<Scope> {
    let rights = this.rights.get(orgId);
    if (rights === undefined) this.rights.set(orgId, (rights = this.workOutRights(orgId)));
    return rights;
  }

  private workOutRights(orgId: string): ReadonlySet<Scope> {
    const membership = this.byOrg.get(orgId);
    if (membership === undefined) return new Set();
    const ofRole = SCOPES_OF_ROLE[membership.role];
    return this.credential.type === 'session' ? ofRole : intersection(this.credential.scopes, ofRole);
  }

  /** @throws {InsufficientScopes} `insufficient_scopes`, naming what is missing and whether key or role lacks it. */
  require(scope: Scope, orgId: string): void {
    const membership = this.byOrg.get(orgId);
    const { credential } = this;
    const keyLacks = credential.type === 'api_key' && !credential.scopes.has(scope);
    const roleLacks = membership === undefined || !SCOPES_OF_ROLE[membership.role].has(scope);
    if (!keyLacks && !roleLacks) return;
    throw new InsufficientScopes({
      scope,
      lackedBy: keyLacks ? 'key' : 'role',
      keyKind: credential.type === 'api_key' ? credential.kind : undefined,
      role: membership?.role,
      orgId,
    });
  }

  /**
   * @throws {InsufficientScopes} as {@link require}, asking the key alone: the resource's organization is not known
   * yet.
   */
  requireOfKey(scope: Scope): void {
    const { credential } = this;
    if (credential.type === 'session' || credential.scopes.has(scope)) return;
    throw new InsufficientScopes({
      scope,
      lackedBy: 'key',
      keyKind: credential.kind,
      role: undefined,
      orgId: undefined,
    });
  }
}

const intersection = (one: ReadonlySet<Scope>, other: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set([...one].filter((scope) => other.has(scope)));
