import type { ManagedRole } from '../../orgs/managed-memberships.js';
import type { AttributeMapping } from '../saml/saml-identity.js';
import { ConnectionNotTested } from '../sso.errors.js';

export const CONNECTION_TYPES = ['oidc', 'saml'] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

/**
 * `draft`: nobody has come in through it since its last change. `tested`: an administrator has. `active`: people sign
 * in through it. `paused`: it was active.
 */
export const CONNECTION_STATUSES = ['draft', 'tested', 'active', 'paused'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

export const CONNECTION_PAUSE_REASONS = ['by_member', 'plan'] as const;
export type ConnectionPauseReason = (typeof CONNECTION_PAUSE_REASONS)[number];

export const METADATA_PROBLEMS = ['unreadable', 'other_provider'] as const;
export type MetadataProblem = (typeof METADATA_PROBLEMS)[number];

/** Roles that a connection may give. Only an owner makes owners. */
export const GIVEN_ROLES = ['admin', 'member', 'viewer'] as const satisfies readonly ManagedRole[];

export interface GroupRole {
  readonly group: string;
  readonly role: ManagedRole;
}

/** This service as the issuer knows it. */
interface OidcSetup {
  readonly issuer: string;
  readonly clientId: string;
  /** Encrypted. */
  readonly clientSecret: Buffer;
}

/** The provider as its metadata describe it. */
export interface SamlIdp {
  readonly entityId: string;
  readonly ssoUrl: string;
  /** PEM. */
  readonly certificates: readonly string[];
  /** When the last of the certificates expires. */
  readonly certificatesEnd: Date;
  /** Where the metadata are read each day, or null for what was sent once. */
  readonly metadataUrl: string | null;
  readonly metadataReadAt: Date | null;
  /** Why the metadata were not used when they were last read. */
  readonly metadataProblem: MetadataProblem | null;
}

/** The key that signs requests. */
interface SamlSigning {
  /** PEM, encrypted. */
  readonly spKey: Buffer;
  /** PEM. */
  readonly spCertificate: string;
}

interface ConnectionFacts {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly mapping: AttributeMapping;
  readonly defaultRole: ManagedRole;
  readonly groupRoles: readonly GroupRole[];
  /** True when people whom the organization does not know yet become members at their first sign-in. */
  readonly jit: boolean;
}

interface ConnectionState {
  readonly status: ConnectionStatus;
  readonly pausedReason: ConnectionPauseReason | null;
  readonly testedAt: Date | null;
  readonly activatedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type ConnectionSetup =
  { readonly type: 'oidc'; readonly oidc: OidcSetup } | { readonly type: 'saml'; readonly saml: SamlIdp & SamlSigning };

export type NewConnection = ConnectionFacts & ConnectionSetup;
/** How the people of an organization prove at their own provider who they are. */
export type SsoConnection = NewConnection & ConnectionState;
export type OidcConnection = Extract<SsoConnection, { type: 'oidc' }>;
export type SamlConnection = Extract<SsoConnection, { type: 'saml' }>;

/** What can change. What is left out stays. */
export interface ConnectionChange extends Partial<Omit<ConnectionFacts, 'id' | 'orgId'>> {
  readonly oidc?: Partial<OidcSetup>;
  readonly saml?: SamlIdp;
}

export const drafted = (connection: NewConnection, at: Date): SsoConnection => ({
  ...connection,
  status: 'draft',
  pausedReason: null,
  testedAt: null,
  activatedAt: null,
  lastUsedAt: null,
  createdAt: at,
  updatedAt: at,
});

/** An administrator has come in through it. */
export const tested = (connection: SsoConnection, at: Date): SsoConnection => ({
  ...connection,
  status: connection.status === 'draft' ? 'tested' : connection.status,
  testedAt: at,
});

/** @throws {ConnectionNotTested} `connection_not_tested` */
export function activated(connection: SsoConnection, at: Date): SsoConnection {
  if (connection.status === 'active') return connection;
  if (connection.testedAt === null) throw new ConnectionNotTested();
  return { ...connection, status: 'active', pausedReason: null, activatedAt: at, updatedAt: at };
}

/** Nobody signs in through a connection that is not active, so that there is nothing to pause. */
export const paused = (connection: SsoConnection, pausedReason: ConnectionPauseReason, at: Date): SsoConnection =>
  connection.status === 'active' ? { ...connection, status: 'paused', pausedReason, updatedAt: at } : connection;

/** Applies a change. What says who people are, or leads them, counts once it was tested again. */
export function changed(before: SsoConnection, { oidc, saml, ...facts }: ConnectionChange, at: Date): SsoConnection {
  const setup: ConnectionSetup =
    before.type === 'oidc'
      ? { type: 'oidc', oidc: { ...before.oidc, ...oidc } }
      : { type: 'saml', saml: { ...before.saml, ...saml } };
  const after: SsoConnection = { ...before, ...facts, ...setup, updatedAt: at };
  if (!needsAnotherTest(before, after)) return after;
  return { ...after, status: 'draft', pausedReason: null, testedAt: null, activatedAt: null };
}

/**
 * True when a subject of before may be another person now. Another client may get other subjects, too: OpenID Connect
 * allows those that differ from client to client.
 */
export function namesOthers(before: SsoConnection, after: SsoConnection): boolean {
  if (before.mapping.subject !== after.mapping.subject) return true;
  if (before.type === 'oidc' && after.type === 'oidc')
    return before.oidc.issuer !== after.oidc.issuer || before.oidc.clientId !== after.oidc.clientId;
  return before.type === 'saml' && after.type === 'saml' && before.saml.entityId !== after.saml.entityId;
}

function needsAnotherTest(before: SsoConnection, after: SsoConnection): boolean {
  if (namesOthers(before, after) || before.mapping.email !== after.mapping.email) return true;
  if (before.type === 'oidc' && after.type === 'oidc') return before.oidc.clientSecret !== after.oidc.clientSecret;
  if (before.type !== 'saml' || after.type !== 'saml') return true;
  // Providers change keys by and by: with one that was tested, the connection goes on.
  const keepsOne = after.saml.certificates.some((pem) => before.saml.certificates.includes(pem));
  return before.saml.ssoUrl !== after.saml.ssoUrl || !keepsOne;
}
