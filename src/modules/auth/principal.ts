import type { OperatorRole } from '../operators/operator-role.js';
import type { PlanId } from '../plans/plan.js';
import {
  KeyOrgMismatch,
  InsufficientScopes,
  OrgAccessDenied,
  SecondFactorMissing,
  SsoRequired,
} from './access.errors.js';
import { type OrgRole, SCOPES_OF_ROLE } from './org-role.js';
import type { Scope } from './scopes.js';
import type { SignInMethod } from './sign-in-method.js';

export const KEY_KINDS = ['personal', 'select_orgs', 'org_bound'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface CallingUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly hasSecondFactor: boolean;
  readonly hasPassword: boolean;
  /** The address that a change in progress leads to. Absent without one. */
  readonly pendingEmail?: string | undefined;
  /** Absent for people who are no operators. */
  readonly operator?: OperatorRole | undefined;
}

/** An organization that the caller is a member of, with the caller's role. */
export interface OrgMembership {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanId;
  readonly role: OrgRole;
  /** True for the user's personal organization. */
  readonly personal: boolean;
}

/** An organization of the person that requires more than the credential shows. */
export interface ClosedMembership extends OrgMembership {
  readonly closedBy: 'second_factor' | 'sso';
}

/** What the person of a session last showed, and when. */
interface SignIn {
  readonly methods: readonly SignInMethod[];
  readonly at: Date;
  /** The SSO connection that the person came through, and when. */
  readonly connection?: { readonly id: string; readonly at: Date };
}

/** The credential that the caller sent. */
export type Credential =
  | {
      readonly type: 'session';
      readonly sessionId: string;
      /** True for a session of a page of this service, whose token is in a cookie. */
      readonly inCookie: boolean;
      /** True when the cookie has to be sent again, because the session was prolonged. */
      readonly prolonged: boolean;
      /** Absent for work that goes on without its session. */
      readonly signIn?: SignIn;
    }
  | {
      readonly type: 'api_key';
      readonly keyId: string;
      readonly kind: KeyKind;
      readonly name: string;
      readonly prefix: string;
      readonly last4: string;
      readonly scopes: ReadonlySet<Scope>;
      readonly allowedIps: readonly string[];
      /** Organizations whose SSO connection the session came through that made or authorized the key. */
      readonly ssoOrgIds: readonly string[];
      /** The organization of an org-bound key. */
      readonly boundOrgId?: string;
      /** The project whose deploys call with the key. */
      readonly projectId?: string;
    };

interface Facts {
  readonly user: CallingUser;
  readonly credential: Credential;
  /** The organizations that both the user and the key have access to. */
  readonly memberships: readonly OrgMembership[];
  /** The default organization of calls. */
  readonly homeOrgId: string;
  /** Organizations of the person that require more than the credential shows. They count for nothing. */
  readonly closed?: readonly ClosedMembership[];
  /** The organizations whose own SSO connection the credential came through. */
  readonly ssoOrgIds?: readonly string[];
  /** What the caller may do at most, besides what its credential allows. Undefined means no further limit. */
  readonly within?: ReadonlySet<Scope>;
}

/**
 * The caller and its permissions: the intersection of role, scopes and the key's organizations. Features of the plan
 * are checked where they are used.
 */
export class Principal {
  readonly user: CallingUser;
  readonly credential: Credential;
  readonly memberships: readonly OrgMembership[];
  /** Organizations of the person that require more than the credential shows. */
  readonly closed: readonly ClosedMembership[];
  /** The organizations whose own SSO connection the credential came through. */
  readonly ssoOrgIds: readonly string[];
  private readonly homeOrgId: string;
  private readonly within: ReadonlySet<Scope> | undefined;
  private readonly byOrg = new Map<string, OrgMembership>();
  /** Permissions by organization. A principal never changes: a changed caller gets a new one. */
  private readonly rights = new Map<string, ReadonlySet<Scope>>();

  constructor({ user, credential, memberships, closed = [], ssoOrgIds = [], homeOrgId, within }: Facts) {
    this.user = user;
    this.credential = credential;
    this.memberships = memberships;
    this.closed = closed;
    this.ssoOrgIds = ssoOrgIds;
    this.homeOrgId = homeOrgId;
    this.within = within;
    for (const membership of memberships) {
      this.byOrg.set(membership.id, membership);
      this.byOrg.set(membership.slug, membership);
    }
  }

  /** True for work that acts for the caller who started it, such as a run of an agent. */
  get isWork(): boolean {
    return this.within !== undefined;
  }

  /** The ids of the organizations whose resources the caller has access to, for the `WHERE` of a list. */
  get orgIds(): string[] {
    return this.memberships.map(({ id }) => id);
  }

  /**
   * The ids of the organizations in which a resource is looked for by its id. They are also those that are closed to
   * the credential, so that {@link require}, which has to follow, says why it is refused.
   */
  get lookupOrgIds(): string[] {
    return [...this.memberships, ...this.closed].map(({ id }) => id);
  }

  /**
   * Returns the organization of a call: the one it names by id or slug, or the default one of the credential.
   *
   * @throws {KeyOrgMismatch} `key_org_mismatch`: an org-bound key names another organization, which may not exist.
   * @throws {OrgAccessDenied} `org_access_denied`: the caller or the key has no access to it.
   * @throws {SecondFactorMissing} `second_factor_missing`: the organization requires one.
   * @throws {SsoRequired} `sso_required`: the organization requires a sign-in through its connection.
   */
  orgOf(idOrSlug: string | undefined): OrgMembership {
    const requested = idOrSlug ?? this.homeOrgId;
    const membership = this.byOrg.get(requested);
    if (membership !== undefined) return membership;
    this.requireBinding(requested);
    this.requireOpen(requested);
    const { credential } = this;
    throw new OrgAccessDenied(credential.type === 'api_key' ? credential.kind : undefined, requested);
  }

  /** @throws {KeyOrgMismatch} `key_org_mismatch`: the key is bound to an organization, and another one is named. */
  requireBinding(idOrSlug: string): void {
    const { credential } = this;
    if (credential.type !== 'api_key' || credential.boundOrgId === undefined) return;
    if (idOrSlug !== credential.boundOrgId && this.byOrg.get(idOrSlug)?.id !== credential.boundOrgId)
      throw new KeyOrgMismatch(credential.boundOrgId, idOrSlug);
  }

  private requireOpen(idOrSlug: string): void {
    const closed = this.closed.find(({ id, slug }) => id === idOrSlug || slug === idOrSlug);
    if (closed?.closedBy === 'second_factor') throw new SecondFactorMissing(idOrSlug);
    if (closed !== undefined) throw new SsoRequired(closed.slug, this.credential.type);
  }

  /**
   * Returns the same caller with access to one of its organizations alone.
   *
   * @throws {KeyOrgMismatch} `key_org_mismatch`, {OrgAccessDenied} `org_access_denied`
   */
  onlyIn(idOrSlug: string): Principal {
    const { user, credential, ssoOrgIds, within } = this;
    const org = this.orgOf(idOrSlug);
    return new Principal({
      user,
      credential,
      memberships: [org],
      ssoOrgIds,
      homeOrgId: org.id,
      ...(within === undefined ? {} : { within }),
    });
  }

  /** Returns the membership, or undefined for an organization that the caller has no access to. */
  membershipIn(orgId: string): OrgMembership | undefined {
    return this.byOrg.get(orgId);
  }

  /** Returns the scopes of the caller in an organization. Without a membership there are none. */
  rightsIn(orgId: string): ReadonlySet<Scope> {
    let rights = this.rights.get(orgId);
    if (rights === undefined) this.rights.set(orgId, (rights = this.computeRights(orgId)));
    return rights;
  }

  private computeRights(orgId: string): ReadonlySet<Scope> {
    const membership = this.byOrg.get(orgId);
    if (membership === undefined) return new Set();
    const ofRole = SCOPES_OF_ROLE[membership.role];
    const ofCredential = this.credential.type === 'session' ? ofRole : intersection(this.credential.scopes, ofRole);
    return this.within === undefined ? ofCredential : intersection(ofCredential, this.within);
  }

  /**
   * @throws {InsufficientScopes} `insufficient_scopes`, naming what is missing and whether key or role lacks it.
   * @throws {SecondFactorMissing} `second_factor_missing`, {SsoRequired} `sso_required`
   */
  require(scope: Scope, orgId: string): void {
    this.requireOpen(orgId);
    const membership = this.byOrg.get(orgId);
    const { credential } = this;
    const keyLacks = this.credentialLacks(scope);
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
    if (!this.credentialLacks(scope)) return;
    throw new InsufficientScopes({
      scope,
      lackedBy: 'key',
      keyKind: credential.type === 'api_key' ? credential.kind : undefined,
      role: undefined,
      orgId: undefined,
    });
  }

  private credentialLacks(scope: Scope): boolean {
    const { credential, within } = this;
    return (credential.type === 'api_key' && !credential.scopes.has(scope)) || within?.has(scope) === false;
  }
}

const intersection = (one: ReadonlySet<Scope>, other: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set([...one].filter((scope) => other.has(scope)));
